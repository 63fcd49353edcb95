/** What the dashboard can show of an account's requests and errors, from requests over real sockets to two threads. */
import t from 'tap'
import { NO_RULES } from '../../src/accounts/views.ts'
import { errorRows, requestRows } from '../../src/control/reports/activity.ts'
import type { DataPlane } from '../../src/data-plane.ts'
import { post } from '../support/post.ts'
import { startThreads } from '../support/threads.ts'
import { until } from '../support/until.ts'

const HOUR_MS = 3_600_000

t.test('requests and errors of an account, and of nobody else', async t => {
  const { baseUrl, accounts, activity, openAccount } = await startThreads(t, 2)
  const dataPlane = {
    port: 0,
    metrics: () => [],
    index: () => null,
    close: async () => {},
    activity,
  } satisfies DataPlane
  const ada = await openAccount(1000)
  const bob = await openAccount(1000)
  const ask = (path: string, body: object) => post(baseUrl, path, body)
  const rows = () => requestRows(accounts, dataPlane, ada.id)
  const nowMs = Date.now()

  t.equal((await ask('/api/lookup', { apiKey: ada.key, zipcode: '90210' })).status, 200)
  t.equal((await ask('/api/lookup', { apiKey: ada.key, zipcode: '00000' })).status, 404)
  const records = Array.from({ length: 900 }, () => ({ postalCode: '90210', countryCode: 'US' }))
  t.equal((await ask('/api/validate-bulk', { apiKey: ada.key, records })).status, 200)
  t.equal((await ask('/api/validate-bulk', { apiKey: ada.key, records })).status, 402)
  t.equal((await ask('/api/lookup', { apiKey: bob.key, zipcode: '90210' })).status, 200)
  // Server threads send their notes a moment later.
  await until(() => rows().length === 4)
  t.match(rows(), [
    { endpoint: 'validate-bulk', status: 402, country: '', chargeMicros: 0, keyId: ada.keyId },
    { endpoint: 'validate-bulk', status: 200, chargeMicros: 900 * 28 },
    { endpoint: 'lookup', status: 404, country: 'US', chargeMicros: 0, code: null },
    { endpoint: 'lookup', status: 200, country: 'US', chargeMicros: 28, keyId: ada.keyId, code: null },
  ])
  for (const { timeMs, durationMicros } of rows()) {
    t.ok(timeMs > nowMs - 1000 && timeMs < Date.now() + 1000, `time ${timeMs}`)
    t.ok(durationMicros >= 0 && durationMicros < 10_000_000, `duration ${durationMicros}`)
  }

  t.test('codes are kept only while the switch of the account is on', async t => {
    const slot = accounts.slotOf(ada.id)
    t.equal(activity.codesKeptUntilMs(slot), 0)
    activity.keepCodes(slot, nowMs + HOUR_MS)
    const untilMs = activity.codesKeptUntilMs(slot)
    t.ok(untilMs >= nowMs + HOUR_MS && untilMs <= nowMs + HOUR_MS + 60_000)
    await ask('/api/validate', { apiKey: ada.key, zipcode: '90210' })
    await ask('/api/lookup', { apiKey: bob.key, zipcode: '90210' })
    const bobs = () => requestRows(accounts, dataPlane, bob.id)
    await until(() => rows().length === 5 && bobs().length === 2)
    activity.keepCodes(slot, 0)
    await ask('/api/validate', { apiKey: ada.key, zipcode: '10001' })
    await until(() => rows().length === 6)
    t.same(
      rows()
        .slice(0, 2)
        .map(({ code }) => code),
      [null, '90210'],
    )
    t.same(
      bobs().map(({ code }) => code),
      [null, null],
    )
  })

  t.test('errors by hour and day, with revoked and mistyped keys', async t => {
    await accounts.setLimits(bob.id, { perMinute: 1, perHour: null, perDay: null })
    const statuses: number[] = []
    for (let i = 0; i < 3; i++)
      statuses.push((await ask('/api/lookup', { apiKey: bob.key, zipcode: '90210' })).status)
    const { id: strictId, key: strict } = await accounts.createKey(bob.id)
    await accounts.setKeyRules(strictId, { ...NO_RULES, endpoints: ['city'] })
    t.equal((await ask('/api/lookup', { apiKey: strict, zipcode: '90210' })).status, 403)
    await accounts.revokeKey(bob.keyId)
    for (const path of ['/api/lookup', '/api/balance'])
      t.equal((await ask(path, { apiKey: bob.key, zipcode: '90210' })).status, 401)
    t.equal((await ask('/api/validate-bulk', { apiKey: bob.key, records })).status, 401)
    t.equal((await ask('/api/lookup', { apiKey: `${bob.key.slice(0, -1)}!`, zipcode: '90210' })).status, 401)
    t.equal((await ask('/api/lookup', { apiKey: 'pk_live_of_nobody', zipcode: '90210' })).status, 401)
    const errors = (account: string) => errorRows(accounts, dataPlane, account, Date.now())
    const sum = (account: string, status: 401 | 402 | 403 | 404 | 429 | 503) =>
      errors(account).reduce((total, row) => total + row[status], 0)
    t.equal(errors(bob.id).length, 48)
    await until(() => sum(bob.id, 401) === 4)
    const limited = statuses.filter(status => status === 429).length
    t.ok(limited >= 1)
    const found = [sum(bob.id, 401), sum(bob.id, 403), sum(bob.id, 429), sum(bob.id, 402)]
    t.same(found, [4, 1, limited, 0])
    t.same([sum(ada.id, 401), sum(ada.id, 404), sum(ada.id, 402)], [0, 1, 1])
  })
})

import t from 'tap'
import { Accounts } from '../../../src/billing/accounts/accounts.ts'
import { actingAs } from '../../../src/billing/accounts/actor.ts'
import type { Change } from '../../../src/billing/accounts/audited-changes.ts'
import { compactLedger } from '../../../src/billing/ledger/tools/compact.ts'
import { showLedger } from '../../../src/billing/ledger/tools/show.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { CHARGED } from '../../../src/service/endpoints/table.ts'
import { authenticate } from '../ledger/expectation.ts'

const OPERATOR = { kind: 'operator', name: 'ops@example.org', from: '203.0.113.9' } as const

t.test('closing an account under load takes its exact balance', async t => {
  const dir = t.testdir()
  let accounts = await Accounts.open({ usageClasses: CHARGED, dir, flushMs: 1000 })
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  const { key: secret } = await accounts.createKey(id)
  const key = authenticate(accounts, secret)
  t.ok(key && accounts.charging.charge(key, 0, 7), 'charged and not in the ledger yet')
  const closing = actingAs(OPERATOR, () => accounts.closeAccount(id, 'asked for'))
  t.notOk(key && accounts.charging.charge(key, 0, 1), 'a request that knew its key already finds no balance')
  t.match(await closing, { balanceMicros: 0, standing: { state: 'closed', reason: 'asked for' } })
  const spentMicros = 7 * QUERY_PRICE_MICROS
  const check = (accounts: Accounts) => {
    const rows = accounts.statement(id)
    t.ok(
      rows.every(({ timeMs }) => timeMs <= Date.now()),
      "today's usage is not dated at the end of the day",
    )
    t.match(
      rows.find(({ kind }) => kind === 'closed'),
      { micros: spentMicros - NEW_ACCOUNT_CREDIT_MICROS, note: 'asked for', reference: `closed:${id}` },
    )
    t.equal(rows.at(-1)?.balanceMicros, 0)
    t.equal(authenticate(accounts, secret), undefined)
  }
  check(accounts)
  t.equal((await accounts.closeAccount(id, 'again')).standing?.reason, 'asked for')
  await t.rejects(accounts.suspend(id, 'x'), { code: 'ACCOUNT_CLOSED' })
  await t.rejects(accounts.resume(id, 'x'), { code: 'ACCOUNT_CLOSED' })
  await t.rejects(accounts.createKey(id), { code: 'ACCOUNT_CLOSED' })
  await accounts.close()
  t.match(await verifyLedger(dir), { status: 'sound' })
  accounts = await Accounts.open({ usageClasses: CHARGED, dir })
  check(accounts)
  await accounts.close()
  await compactLedger(dir)
  t.match(await verifyLedger(dir), { status: 'sound' }, 'from the snapshot alone')
  accounts = await Accounts.open({ usageClasses: CHARGED, dir })
  check(accounts)
  t.match(accounts.account(id)?.standing, { state: 'closed' })
  await accounts.close()
})

t.test('the ledger and listeners name the person behind a command', async t => {
  const dir = t.testdir()
  const accounts = await Accounts.open({ usageClasses: CHARGED, dir })
  const changes: Change[] = []
  accounts.onAudited(change => changes.push(change))
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  await actingAs(OPERATOR, async () => {
    await accounts.suspend(id, 'abuse')
    await accounts.credit({ account: id, micros: 1, reference: 'r', kind: 'operator' })
  })
  const { id: key } = await accounts.createKey((await accounts.resume(id, 'sorted out')).id)
  await accounts.close()
  t.same(
    changes.map(({ what, actor }) => [what, actor.name]),
    [
      ['account', 'the service'],
      ['credit', 'the service'],
      ['suspended', OPERATOR.name],
      ['credit', OPERATOR.name],
      ['resumed', 'the service'],
      ['key', 'the service'],
    ],
  )
  t.match(changes.at(-1), { account: id, key, details: { label: '' } })
  t.notMatch(JSON.stringify(changes), 'hash', 'no event has the hash of a key')
  const by: unknown[] = []
  for await (const { kind, details } of showLedger(dir)) if ('by' in details) by.push([kind, details.by])
  t.same(by, [
    ['suspended', OPERATOR.name],
    ['credit', OPERATOR.name],
    ['resumed', 'the service'],
  ])
})

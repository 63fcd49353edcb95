/** Each way to be refused is counted under its reason. */
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { LiveState } from '../../src/accounts/live/live-state.ts'
import { openAccounts } from '../../src/accounts/open-accounts.ts'
import { ERRORS } from '../../src/errors.ts'
import { REASONS, type Reason } from '../../src/http/labels.ts'
import { newCounts, startApp } from '../support/app.ts'
import { post, send } from '../support/post.ts'
import { RawSocket } from '../support/raw-socket.ts'

t.test('refusals by reason', async t => {
  const counts = newCounts()
  const { baseUrl, port, key, accounts, openAccount } = await startApp(t, undefined, { counts })
  const seen: Partial<Record<Reason, number>> = {}
  const expect = async (reason: Reason, ask: () => Promise<unknown>) => {
    await ask()
    seen[reason] = (seen[reason] ?? 0) + 1
    const found = REASONS.map((name, i) => [name, counts.thread.refusals[i]] as const)
    t.same(Object.fromEntries(found.filter(([, count]) => count > 0)), seen, reason)
  }
  const lookup = (apiKey: string, zipcode?: string) => post(baseUrl, '/api/lookup', { apiKey, zipcode })
  t.equal((await lookup(key, '90210')).status, 200)
  await expect('malformed', () => lookup(key))
  await expect('unknown_key', () => lookup('wrong', '90210'))
  await expect('not_found', () => lookup(key, '00000'))
  await expect('unknown_path', () => post(baseUrl, '/api/nowhere', {}))
  await expect('method', () => send(baseUrl, '/api/city', { method: 'PUT' }))
  await expect('too_large', () => post(baseUrl, '/api/lookup', 'x'.repeat(100_000)))
  const capped = await openAccount()
  await accounts.setKeyCap(capped.keyId, 0)
  await expect('key_cap', () => lookup(capped.key, '90210'))
  const records = Array.from({ length: 1000 }, () => ({ postalCode: '90210', countryCode: 'US' }))
  const poor = await openAccount()
  await lookup(poor.key, '90210')
  await expect('no_funds', () => post(baseUrl, '/api/validate-bulk', { apiKey: poor.key, records }))
  const limited = await openAccount()
  await accounts.setLimits(limited.id, { perMinute: null, perHour: null, perDay: 1 })
  await lookup(limited.key, '90210')
  await expect('rate_limit', () => lookup(limited.key, '90210'))
  await expect('framing', async () => {
    const raw = await RawSocket.open(port)
    raw.send('POST /api/lookup HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}')
    t.equal(await raw.answer(), undefined)
  })
})

t.test('a disk that stalls while a request is charged, and answers again, is no empty balance', async t => {
  let live: LiveState | undefined
  const { baseUrl, key, accounts } = await startApp(t, undefined, {}, {}, async options => {
    const parts = await openAccounts(options)
    live = parts.live
    return new Accounts(parts)
  })
  const { charging } = accounts
  const charge = charging.charge.bind(charging)
  charging.charge = (...charged) => {
    live?.setStalled(true)
    const isPaid = charge(...charged)
    live?.setStalled(false)
    return isPaid
  }
  const { status, json } = await post(baseUrl, '/api/lookup', { apiKey: key, zipcode: '90210' })
  t.equal(status, 503)
  t.match(json, { error: ERRORS.UNAVAILABLE[1] })
})

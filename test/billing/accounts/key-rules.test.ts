import t from 'tap'
import type { AccountError } from '../../../src/billing/accounts/account-error.ts'
import { type KeyRulesView, NO_RULES } from '../../../src/billing/accounts/views.ts'
import { KEY_ADDRESSES_MAX, KEY_OVERLAP_MS_MAX } from '../../../src/platform/limits.ts'
import { authenticate } from '../ledger/expectation.ts'
import { AccountsFixture } from './accounts-fixture.ts'

const HOUR_MS = 3_600_000
const rules = (some: Partial<KeyRulesView>): KeyRulesView => ({ ...NO_RULES, ...some })
const perDay = (limit: number) => ({ perMinute: null, perHour: null, perDay: limit })

t.test('an expired key is refused at once and works again with a later expiry', async t => {
  const fixture = await AccountsFixture.create()
  const expiresMs = fixture.clock.wallMs() + HOUR_MS
  await fixture.accounts.setKeyRules(fixture.keyId, rules({ expiresMs }))
  fixture.clock.advance(HOUR_MS - 1)
  t.ok(fixture.key())
  t.match(fixture.accounts.key(fixture.keyId), { rules: { expiresMs }, isExpired: false })
  fixture.clock.advance(1)
  t.equal(authenticate(fixture.accounts, fixture.secret), undefined)
  t.match(fixture.accounts.key(fixture.keyId), { isExpired: true, revokedMs: null })
  await fixture.restart()
  t.equal(authenticate(fixture.accounts, fixture.secret), undefined, 'after a crash')
  await fixture.accounts.setKeyRules(fixture.keyId, rules({ expiresMs, endpoints: ['city'] }))
  t.equal(authenticate(fixture.accounts, fixture.secret), undefined, 'another rule leaves the expiry')
  await fixture.accounts.setKeyRules(fixture.keyId, rules({ expiresMs: fixture.clock.wallMs() + 1 }))
  t.ok(fixture.key())
  await fixture.accounts.setKeyRules(fixture.keyId, NO_RULES)
  fixture.clock.advance(HOUR_MS)
  t.ok(fixture.key(), 'without an expiry')
})

t.test('a key that expired by a fast clock works once the clock is right', async t => {
  const fixture = await AccountsFixture.create()
  await fixture.accounts.setKeyRules(fixture.keyId, rules({ expiresMs: fixture.clock.wallMs() + HOUR_MS }))
  fixture.clock.jump(48 * HOUR_MS)
  await fixture.restart()
  t.equal(authenticate(fixture.accounts, fixture.secret), undefined)
  fixture.clock.jump(-48 * HOUR_MS)
  t.ok(authenticate(fixture.accounts, fixture.secret))
})

t.test('a request counts for the limits of key and account, or for neither', async t => {
  const fixture = await AccountsFixture.create()
  const { accounts, accountId, keyId } = fixture
  const { key: otherSecret } = await accounts.createKey(accountId)
  const other = () => authenticate(accounts, otherSecret) ?? t.fail('the other key is gone')
  await accounts.setKeyRules(keyId, rules({ limits: perDay(5) }))
  t.equal(accounts.charging.admit(fixture.key(), 3), 0)
  t.match(fixture.key().limited, { limits: perDay(5), currentDay: 3 }, 'the limits in answers')
  t.equal(accounts.charging.admit(fixture.key(), 3), 12 * 3600)
  t.match(fixture.key().limited, { currentDay: 3 }, 'a refused request is not counted')
  t.equal(fixture.key().account.limits, null)

  await accounts.setLimits(accountId, perDay(6))
  if (typeof other() === 'object') t.equal(accounts.charging.admit(other() as never, 3), 0)
  t.equal(accounts.charging.admit(fixture.key(), 2), 0)
  t.match(fixture.key().limited, { limits: perDay(5), currentDay: 5 }, 'the key has the lower rest')
  t.equal(accounts.currentQueries(accountId).currentDay, 5)
  await accounts.setKeyRules(keyId, rules({ limits: perDay(100) }))
  t.equal(accounts.charging.admit(fixture.key(), 2), 12 * 3600, 'the account refuses')
  t.match(fixture.key(), { ownLimits: { currentDay: 5 }, limited: { limits: perDay(6), currentDay: 5 } })
  t.equal(accounts.charging.admit(fixture.key(), 1), 0)
  t.match(fixture.key(), { ownLimits: { currentDay: 6 }, account: { currentDay: 6 } })
  await accounts.setKeyRules(keyId, NO_RULES)
  t.equal(fixture.key().ownLimits, null)
  t.equal(fixture.key().limited, fixture.key().account)
})

t.test('after concurrent rolls, the last two secrets in the ledger work', async t => {
  const fixture = await AccountsFixture.create()
  const rolled = await Promise.all(
    Array.from({ length: 5 }, () => fixture.accounts.rollKey(fixture.keyId, HOUR_MS)),
  )
  const works = () =>
    [fixture.secret, ...rolled.map(({ key }) => key)].map(by => !!authenticate(fixture.accounts, by))
  t.same(works(), [false, false, false, false, true, true])
  await fixture.restart()
  t.same(works(), [false, false, false, false, true, true])
})

t.test('wrong rules are refused with their code and change nothing', async t => {
  const { accounts, keyId, clock } = await AccountsFixture.create()
  const before = accounts.key(keyId)
  const many = Array.from({ length: KEY_ADDRESSES_MAX + 1 }, (_, i) => `10.0.${i}.0/24`)
  const cases: [Partial<KeyRulesView>, AccountError['code']][] = [
    [{ expiresMs: clock.wallMs() }, 'INVALID_EXPIRY'],
    [{ expiresMs: 1.5e15 }, 'INVALID_EXPIRY'],
    [{ expiresMs: Number.NaN }, 'INVALID_EXPIRY'],
    [{ limits: perDay(0) }, 'INVALID_LIMITS'],
    [{ endpoints: [] }, 'INVALID_ENDPOINTS'],
    [{ endpoints: ['constructor' as never] }, 'INVALID_ENDPOINTS'],
    [{ addresses: [] }, 'INVALID_ADDRESSES'],
    [{ addresses: ['10.0.0.0/33'] }, 'INVALID_ADDRESSES'],
    [{ addresses: many }, 'INVALID_ADDRESSES'],
  ]
  for (const [some, code] of cases) await t.rejects(accounts.setKeyRules(keyId, rules(some)), { code })
  await t.rejects(accounts.setKeyRules('key_none', NO_RULES), { code: 'KEY_NOT_FOUND' })
  for (const overlapMs of [-1, 0.5, KEY_OVERLAP_MS_MAX + 1, Number.NaN])
    await t.rejects(accounts.rollKey(keyId, overlapMs), { code: 'INVALID_OVERLAP' })
  t.same(accounts.key(keyId), before)
  const { rules: stored } = await accounts.setKeyRules(
    keyId,
    rules({ limits: { perMinute: null, perHour: null, perDay: null } }),
  )
  t.equal(stored.limits, null, 'limits without a window are none')
  t.match(
    (await accounts.setKeyRules(keyId, rules({ addresses: many.slice(1) }))).rules.addresses?.length,
    KEY_ADDRESSES_MAX,
  )
})

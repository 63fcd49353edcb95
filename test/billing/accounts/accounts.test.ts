import fc from 'fast-check'
import t from 'tap'
import type { AccountError } from '../../../src/billing/accounts/account-error.ts'
import type { Accounts } from '../../../src/billing/accounts/accounts.ts'
import { actingAs } from '../../../src/billing/accounts/actor.ts'
import {
  KEYS_CREATED_DAYS,
  KEYS_CREATED_MAX,
  KEYS_PER_ACCOUNT_MAX,
} from '../../../src/billing/accounts/commands/change-key.ts'
import { ACCOUNT_STATES } from '../../../src/billing/accounts/reports/account-search.ts'
import { type NamedKeyRules, NO_RULES } from '../../../src/billing/accounts/views.ts'
import { compactLedger } from '../../../src/billing/ledger/tools/compact.ts'
import { showLedger } from '../../../src/billing/ledger/tools/show.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { KEY_ADDRESSES_MAX, KEY_OVERLAP_MS_MAX } from '../../../src/billing/limits.ts'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/time.ts'
import { authenticate, keyOf, openAccounts } from '../../support/accounts.ts'
import { SimulatedProcess } from '../ledger/simulated-process.ts'
import { AccountsFixture } from './accounts-fixture.ts'

// `model.ts` tests everything of rate limits but set clocks.
for (const backMs of [MINUTE_MS, 5 * HOUR_MS]) {
  t.test(`a clock set back by ${backMs / MINUTE_MS} minutes refills nothing early`, async t => {
    const fixture = await AccountsFixture.create()
    fixture.clock.advance(30 * MINUTE_MS)
    await fixture.accounts.setLimits(fixture.accountId, { perMinute: null, perHour: 10, perDay: null })
    fixture.accounts.charging.takeFromLimits(fixture.key(), 10)
    fixture.clock.jump(-backMs)
    t.equal(fixture.accounts.charging.takeFromLimits(fixture.key(), 1), 1800, 'while running')
    await fixture.restart()
    t.ok(Number(fixture.accounts.charging.takeFromLimits(fixture.key(), 1)) >= 1800, 'after a restart')
    fixture.clock.advance(30 * MINUTE_MS)
    t.equal(fixture.accounts.charging.takeFromLimits(fixture.key(), 1), null, 'limits refill in time')
  })
}

t.test('accounts of all states are counted in one pass, in turns', async t => {
  const { accounts, clock } = await AccountsFixture.create({ accountsMax: 2000 })
  const emails = Array.from({ length: 1500 }, (_, n) => `${n}@example.com`)
  const [first, second] = await Promise.all(emails.map(email => accounts.createAccount({ email })))
  await accounts.suspend(first.id, 'unpaid')
  await accounts.credit({ account: second.id, micros: 5e6, reference: 'r', kind: 'payment' })
  await accounts.adjust({ account: second.id, micros: 9e6, reference: 'back', kind: 'refund' })
  const nowMs = clock.wallMs()
  let turns = 0
  const turn = () => {
    turns++
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  const refused = new Map([[accounts.slotOf(second.id), 3]])
  const counts = await accounts.count(refused, nowMs)
  clearImmediate(next)
  t.ok(turns >= 2, 'other work runs meanwhile')
  for (const state of ACCOUNT_STATES) {
    const { matches: all } = await accounts.search({ nowMs, refused, state, perPage: 1 })
    const { matches: paid } = await accounts.search({ nowMs, refused, state, hasPaid: true, perPage: 1 })
    t.same(counts.get(state), { all, paid }, state)
  }
  t.same(counts.get('errors'), { all: 1, paid: 1 })
  t.same(counts.get('owing'), { all: 1, paid: 1 })
  const found = await accounts.search({ nowMs, wanted: '1@example.com', order: 'email' })
  t.equal(found.accounts[0]?.email, '1@example.com', 'the exact address is before 0@ to 1491@')
})

const QUERIES = 2
const HOURLY_MICROS = QUERIES * QUERY_PRICE_MICROS

t.test('usage by hour and day is exact, limited, and survives a restart', async t => {
  const fixture = await AccountsFixture.create()
  await fixture.accounts.credit({ account: fixture.accountId, micros: 5e6, reference: 'r', kind: 'test' })
  for (let hour = 0; hour < 24 * 100; hour++) {
    if (fixture.accounts.charging.charge(fixture.key(), (hour % 5) as 0, QUERIES) !== null)
      t.fail('a charge is refused')
    await fixture.clock.pass(HOUR_MS)
    if (hour % 500 === 0) {
      await new Promise(resolve => setImmediate(resolve))
      await fixture.restart()
    }
  }
  const hours = fixture.accounts.usage(fixture.accountId, { by: 'hour' })
  t.ok(hours.length >= 48)
  t.match(hours.at(-1), { key: fixture.keyId, spentMicros: HOURLY_MICROS })
  const days = fixture.accounts.usage(fixture.accountId, { by: 'day' })
  t.ok(days.length >= 90 && days.length < 100)
  t.match(days.at(-2), { queries: { lookup: 10 }, spentMicros: 24 * HOURLY_MICROS })
  const fromMs = days.at(-3)?.startMs ?? 0
  t.equal(fixture.accounts.usage(fixture.accountId, { by: 'day', fromMs }).length, 3)
  const rows = fixture.accounts.statement(fixture.accountId)
  const total = rows.reduce((sum, { micros }) => sum + micros, 0)
  t.equal(total, fixture.accounts.account(fixture.accountId)?.balanceMicros)
  t.ok(rows.every(({ balanceAfterMicros: balanceMicros }) => (balanceMicros ?? 0) >= 0))
  t.ok(
    rows.some(({ kind }) => kind === 'earlier usage'),
    'forgotten history is one line',
  )
})

const OPERATOR = { kind: 'operator', name: 'ops@example.org', from: '203.0.113.9' } as const

t.test('closing an account under load takes its exact balance', async t => {
  const dir = t.testdir()
  let accounts = await openAccounts({ dir, flushMs: 1000 })
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  const { secret } = await accounts.createKey(id)
  const key = keyOf(accounts, secret)
  t.equal(accounts.charging.charge(key, 0, 7), null, 'charged and not in the ledger yet')
  const closing = actingAs(OPERATOR, () => accounts.closeAccount(id, 'asked for'))
  const later = accounts.charging.charge(key, 0, 1)
  t.equal(later, 'balance', 'a request that knew its key already finds no balance')
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
    t.equal(rows.at(-1)?.balanceAfterMicros, 0)
    t.equal(authenticate(accounts, secret), undefined)
  }
  check(accounts)
  t.equal((await accounts.closeAccount(id, 'again')).standing?.reason, 'asked for')
  await t.rejects(accounts.suspend(id, 'x'), { code: 'ACCOUNT_CLOSED' })
  await t.rejects(accounts.resume(id, 'x'), { code: 'ACCOUNT_CLOSED' })
  await t.rejects(accounts.createKey(id), { code: 'ACCOUNT_CLOSED' })
  await accounts.close()
  t.match(await verifyLedger(dir), { status: 'sound' })
  accounts = await openAccounts({ dir })
  check(accounts)
  await accounts.close()
  await compactLedger(dir)
  t.match(await verifyLedger(dir), { status: 'sound' }, 'from the snapshot alone')
  accounts = await openAccounts({ dir })
  check(accounts)
  t.match(accounts.account(id)?.standing, { state: 'closed' })
  await accounts.close()
})

t.test('the ledger names the person behind a command', async t => {
  const dir = t.testdir()
  const accounts = await openAccounts({ dir })
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  await actingAs(OPERATOR, async () => {
    await accounts.suspend(id, 'abuse')
    await accounts.credit({ account: id, micros: 1, reference: 'r', kind: 'operator' })
  })
  await accounts.resume(id, 'sorted out')
  await accounts.close()
  const by: unknown[] = []
  for await (const { kind, details } of showLedger(dir)) if ('by' in details) by.push([kind, details.by])
  t.same(by, [
    ['suspended', OPERATOR.name],
    ['credit', OPERATOR.name],
    ['resumed', 'the service'],
  ])
})

const rules = (some: Partial<NamedKeyRules>): NamedKeyRules => ({ ...NO_RULES, ...some })
const perDay = (limit: number) => ({ perMinute: null, perHour: null, perDay: limit })

t.test('a key that expired by a fast clock works once the clock is right', async t => {
  const fixture = await AccountsFixture.create()
  await fixture.accounts.setKeyRules(fixture.keyId, rules({ expiresMs: fixture.clock.wallMs() + HOUR_MS }))
  fixture.clock.jump(48 * HOUR_MS)
  await fixture.restart()
  t.equal(authenticate(fixture.accounts, fixture.secret), undefined)
  fixture.clock.jump(-48 * HOUR_MS)
  t.ok(authenticate(fixture.accounts, fixture.secret))
})

// `model.ts` counts every request against the limits of key and account.
t.test('an answer has the limits with the lower rest, of the key or of the account', async t => {
  const fixture = await AccountsFixture.create()
  const { accounts, accountId, keyId } = fixture
  await accounts.setKeyRules(keyId, rules({ limits: perDay(5) }))
  t.equal(accounts.charging.takeFromLimits(fixture.key(), 3), null)
  t.match(fixture.key().limited, { limits: perDay(5), used: { perDay: 3 } })
  await accounts.setLimits(accountId, perDay(6))
  t.equal(accounts.charging.takeFromLimits(fixture.key(), 2), null)
  t.match(fixture.key().limited, { limits: perDay(5), used: { perDay: 5 } })
  await accounts.setKeyRules(keyId, rules({ limits: perDay(100) }))
  t.equal(accounts.charging.takeFromLimits(fixture.key(), 1), null)
  t.match(fixture.key().limited, { limits: perDay(6) })
  await accounts.setKeyRules(keyId, NO_RULES)
  t.equal(fixture.key().limited, fixture.key().account)
})

t.test('after concurrent rolls, the last two secrets in the ledger work', async t => {
  const fixture = await AccountsFixture.create()
  const rolled = await Promise.all(
    Array.from({ length: 5 }, () => fixture.accounts.rollKey(fixture.keyId, HOUR_MS)),
  )
  const works = () =>
    [fixture.secret, ...rolled.map(({ secret: key }) => key)].map(by => !!authenticate(fixture.accounts, by))
  t.same(works(), [false, false, false, false, true, true])
  await fixture.restart()
  t.same(works(), [false, false, false, false, true, true])
})

t.test('wrong rules are refused with their code and change nothing', async t => {
  const { accounts, keyId, clock } = await AccountsFixture.create()
  const before = accounts.key(keyId)
  const many = Array.from({ length: KEY_ADDRESSES_MAX + 1 }, (_, i) => `10.0.${i}.0/24`)
  const cases: [Partial<NamedKeyRules>, AccountError['code']][] = [
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

t.test('every accepted text is the same after a restart', async t => {
  const fixture = await AccountsFixture.create()
  const { accountId: account, keyId } = fixture
  let counter = 0
  const text = fc.string({ unit: 'binary', maxLength: 80 })
  const property = fc.asyncProperty(text, text, text, async (label, reference, note) => {
    const { accounts } = fixture
    const commands = [
      accounts.renameKey(keyId, label),
      accounts.credit({ account, micros: 1, reference: `${counter++} ${reference}`, note, kind: 'test' }),
      accounts.linkIdentity(account, { issuer: `${counter}${reference}`, subject: note }),
    ]
    for (const { status, reason } of (await Promise.allSettled(commands)) as PromiseRejectedResult[]) {
      if (status === 'rejected' && !/^INVALID_/.test(reason.code)) throw reason
    }
    const views = () => [fixture.accounts.listKeys(account), fixture.accounts.statement(account)]
    const before = structuredClone(views())
    await fixture.restart()
    t.same(views(), before)
  })
  await fc.assert(property, { numRuns: 50, seed: 1 })
})

t.test('an account is found by id, by email in any case, and by sign-in', async t => {
  const { accounts, accountId } = await AccountsFixture.create()
  t.equal(accounts.account('ADA@example.org')?.id, accountId)
  t.equal(accounts.account(accountId)?.balanceMicros, NEW_ACCOUNT_CREDIT_MICROS)
  t.equal(accounts.account('nobody@example.org'), undefined)
  const identity = { issuer: 'https://issuer.example', subject: '1' }
  await accounts.linkIdentity(accountId, identity)
  await accounts.linkIdentity(accountId, identity)
  t.equal(accounts.accountByIdentity(identity.issuer, identity.subject)?.id, accountId)
  const created = accounts.createAccount({ email: 'eve@example.org', identity })
  await t.rejects(created, { code: 'IDENTITY_TAKEN' })
  t.equal(accounts.account('eve@example.org'), undefined)
})

t.test('one of many concurrent commands for the same thing wins', async t => {
  const { accounts, accountId } = await AccountsFixture.create()
  const email = 'two@example.org'
  const created = await Promise.allSettled([1, 2].map(() => accounts.createAccount({ email })))
  const statuses = created.map(({ status }) => status)
  t.same(statuses, ['fulfilled', 'rejected'])
  const payment = { account: accountId, micros: 5_000_000, reference: 'cs_1', kind: 'payment' } as const
  const credits = await Promise.all([1, 2, 3].map(() => accounts.credit(payment)))
  const applied = credits.map(({ applied }) => applied)
  t.same(applied, [true, false, false])
  t.same(new Set(credits.map(({ balanceMicros }) => balanceMicros)), new Set([5_028_000]))
  const keys = await Promise.all(Array.from({ length: 20 }, () => accounts.createKey(accountId)))
  t.equal(new Set(keys.map(({ id }) => id)).size, 20, 'the meter grows under commands that run at once')
})

type Case = [() => Promise<unknown>, AccountError['code']]

t.test('wrong input is refused with its code and changes nothing', async t => {
  const { accounts, accountId, keyId } = await AccountsFixture.create()
  const before = accounts.account(accountId)
  const credit = { account: accountId, micros: 1, reference: 'r', kind: 'payment' } as const
  const cases: Case[] = [
    [() => accounts.createAccount({ email: 'no address' }), 'INVALID_EMAIL'],
    [() => accounts.createAccount({ email: '<bob@x.com>' }), 'INVALID_EMAIL'],
    [() => accounts.createAccount({ email: 'bob@x..com' }), 'INVALID_EMAIL'],
    [() => accounts.createAccount({ email: 'bob\u200b@x.com' }), 'INVALID_EMAIL'],
    [() => accounts.createAccount({ email: 'ada@example.org' }), 'EMAIL_TAKEN'],
    [() => accounts.credit({ ...credit, micros: 0.5 }), 'INVALID_AMOUNT'],
    [() => accounts.credit({ ...credit, micros: -1 }), 'INVALID_AMOUNT'],
    [() => accounts.credit({ ...credit, reference: ' ' }), 'INVALID_REFERENCE'],
    [() => accounts.credit({ ...credit, account: 'nobody' }), 'ACCOUNT_NOT_FOUND'],
    [() => accounts.adjust({ ...credit, kind: 'refund', note: 'a\nb' }), 'INVALID_NOTE'],
    [() => accounts.setLimits(accountId, { perMinute: 0, perHour: null, perDay: null }), 'INVALID_LIMITS'],
    [() => accounts.createKey(accountId, { label: 'x'.repeat(65) }), 'INVALID_LABEL'],
    [() => accounts.setKeyCap(keyId, -1), 'INVALID_CAP'],
    [() => accounts.setLowBalance(accountId, 0.5), 'INVALID_PROFILE'],
    [() => accounts.revokeKey('key_unknown'), 'KEY_NOT_FOUND'],
    [
      () => accounts.linkIdentity(accountId, { issuer: 'https://issuer.example', subject: '1 ' }),
      'INVALID_IDENTITY',
    ],
    ...['', ' ', 'two\nlines', 'x'.repeat(257), '\ud800'].map(
      reason => [() => accounts.suspend(accountId, reason), 'INVALID_REASON'] as Case,
    ),
  ]
  for (const [command, code] of cases) await t.rejects(command(), { name: 'AccountError', code })
  t.same(accounts.account(accountId), before)
})

t.test('a debit takes from credits that are on their way to the disk', async t => {
  const fixture = await AccountsFixture.create()
  const { accounts, accountId } = fixture
  const request = (reference: string, micros: number) => ({ account: accountId, reference, micros })
  const credit = (name: string) => accounts.credit({ ...request(`credit ${name}`, 5_000), kind: 'payment' })
  const refund = (name: string) => accounts.adjust({ ...request(`refund ${name}`, 33_000), kind: 'refund' })
  t.equal(accounts.charging.charge(fixture.key(), 0, 3), null, 'charged and not in the ledger yet')
  await Promise.all([credit('1'), refund('1'), credit('2'), credit('3')])
  const chargedMicros = 3 * QUERY_PRICE_MICROS
  t.match(accounts.account(accountId), { balanceMicros: 10_000 - chargedMicros, debtMicros: 0 })
  t.equal(accounts.charging.charge(fixture.key(), 0, 1), null)
  await Promise.all([refund('2'), credit('4')])
  const owedMicros = 33_000 + chargedMicros + QUERY_PRICE_MICROS - 15_000
  t.match(accounts.account(accountId), { balanceMicros: 0, debtMicros: owedMicros })
  t.equal(accounts.charging.charge(fixture.key(), 0, 1), 'balance')
  const [, closed] = await Promise.all([
    accounts.credit({ ...request('credit 5', owedMicros + 7), kind: 'operator' }),
    accounts.closeAccount(accountId, 'a test'),
  ])
  t.match(closed, { balanceMicros: 0, debtMicros: 0, takenMicros: 7 })
  t.match(await accounts.closeAccount(accountId, 'again'), { takenMicros: 7 })
  await t.rejects(accounts.credit({ ...request('late', 5), kind: 'operator' }), { code: 'ACCOUNT_CLOSED' })
  await fixture.restart()
  t.match(fixture.accounts.account(accountId), { balanceMicros: 0, debtMicros: 0 })
  t.match(await verifyLedger('/data', new SimulatedProcess(fixture.disk)), { status: 'sound' })
})

t.test('the number of active keys of an account is limited', async t => {
  const { accounts, accountId, keyId } = await AccountsFixture.create()
  for (let count = 1; count < KEYS_PER_ACCOUNT_MAX; count++) await accounts.createKey(accountId)
  await t.rejects(accounts.createKey(accountId), { code: 'TOO_MANY_KEYS' })
  await accounts.revokeKey(keyId)
  t.ok(await accounts.createKey(accountId))
})

t.test('after 10,000 keys, revoking and waiting allows a new one', async t => {
  const fixture = await AccountsFixture.create({ keysMax: 20_000 })
  const { accounts, accountId } = fixture
  await accounts.revokeKey(fixture.keyId)
  for (let count = 0; count < KEYS_CREATED_MAX - 1; count += KEYS_PER_ACCOUNT_MAX) {
    const created = Array.from({ length: Math.min(KEYS_PER_ACCOUNT_MAX, KEYS_CREATED_MAX - 1 - count) }, () =>
      accounts.createKey(accountId),
    )
    await Promise.all((await Promise.all(created)).map(({ id }) => accounts.revokeKey(id)))
  }
  await t.rejects(accounts.createKey(accountId), { code: 'TOO_MANY_KEYS', message: /wait/ })
  fixture.clock.advance((KEYS_CREATED_DAYS * 24 + 1) * 3_600_000)
  t.ok(await accounts.createKey(accountId))
})

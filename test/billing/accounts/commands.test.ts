import t from 'tap'
import type { AccountError } from '../../../src/billing/accounts/account-error.ts'
import {
  KEYS_CREATED_DAYS,
  KEYS_CREATED_MAX,
  KEYS_PER_ACCOUNT_MAX,
} from '../../../src/billing/accounts/commands/change-key.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { SimulatedProcess } from '../ledger/simulated-process.ts'
import { AccountsFixture } from './accounts-fixture.ts'

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

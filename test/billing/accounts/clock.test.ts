/** An operator or a broken time server sets the wall clock forward a year, and back again. */
import t from 'tap'
import { NO_RULES } from '../../../src/billing/accounts/views.ts'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { FLUSH_MS_DEFAULT } from '../../../src/platform/limits.ts'
import { DAY_MS, HOUR_MS } from '../../../src/platform/time.ts'
import { keyOf } from '../../support/accounts.ts'
import { chargeAsServed } from '../ledger/expectation.ts'
import { START_MS } from '../ledger/test-clock.ts'
import { AccountsFixture } from './accounts-fixture.ts'

const YEAR_MS = 365 * DAY_MS
const NO_LIMITS = { perMinute: null, perHour: null, perDay: null }

async function chargeAndFlush(fixture: AccountsFixture, queries: number): Promise<boolean> {
  const charged = await chargeAsServed(fixture.accounts.charging, fixture.key(), 0, queries)
  fixture.clock.advance(FLUSH_MS_DEFAULT)
  await new Promise(resolve => setImmediate(resolve))
  return charged
}

for (const restarts of [false, true]) {
  const when = restarts ? 'with a restart' : 'while running'
  t.test(`usage after a clock was set forward and back, ${when}, is dated by the right clock`, async t => {
    const fixture = await AccountsFixture.create()
    fixture.clock.jump(YEAR_MS)
    await chargeAndFlush(fixture, 1)
    // These hours exceed a history, so a later hour of this year would be older than all of them.
    for (let hour = 0; hour < 60; hour++) {
      fixture.clock.advance(HOUR_MS)
      await chargeAndFlush(fixture, 1)
    }
    fixture.clock.jump(-YEAR_MS)
    if (restarts) await fixture.restart()
    await chargeAndFlush(fixture, 1)
    await chargeAndFlush(fixture, 1)
    const nowMs = fixture.clock.wallMs()
    for (const by of ['hour', 'day'] as const) {
      const rows = fixture.accounts.usage(fixture.accountId, { by })
      t.ok(rows.length > 0)
      t.ok(
        rows.every(({ startMs }) => startMs <= nowMs + DAY_MS),
        `no ${by} of another year remains`,
      )
    }
    const days = fixture.accounts.usage(fixture.accountId, { by: 'day' })
    t.equal(
      days.reduce((sum, { queries }) => sum + queries.lookup, 0),
      63,
      'none is lost',
    )
    const lastUsedMs = fixture.accounts.key(fixture.keyId)?.lastUsedMs ?? 0
    t.ok(lastUsedMs >= START_MS && lastUsedMs <= nowMs, 'the last use is not in the future')
  })
}

t.test("a statement across a wrong clock keeps the ledger's order without negative balances", async t => {
  const fixture = await AccountsFixture.create()
  await chargeAndFlush(fixture, 1000)
  fixture.clock.jump(YEAR_MS)
  await fixture.accounts.credit({
    account: fixture.accountId,
    micros: NEW_ACCOUNT_CREDIT_MICROS,
    reference: 'r',
    kind: 'payment',
  })
  await chargeAndFlush(fixture, 500)
  fixture.clock.jump(-YEAR_MS)
  await chargeAndFlush(fixture, 500)
  await chargeAndFlush(fixture, 0)
  const rows = fixture.accounts.statement(fixture.accountId)
  t.ok(
    rows.every(({ balanceAfterMicros: balanceMicros }) => (balanceMicros ?? 0) >= 0),
    JSON.stringify(rows.map(({ kind, micros }) => [kind, micros])),
  )
  t.equal(rows.at(-1)?.balanceAfterMicros, 0)
})

t.test('a cap begins again when the clock is set forward over the end of a month', async t => {
  for (const isPaid of [
    (fixture: AccountsFixture) => fixture.accounts.charging.charge(fixture.key(), 0, 1) === null,
    (fixture: AccountsFixture) => fixture.accounts.charging.checkFunds(fixture.key(), 1) === null,
  ]) {
    const fixture = await AccountsFixture.create()
    await fixture.accounts.setKeyCap(fixture.keyId, 2 * QUERY_PRICE_MICROS)
    t.ok(await chargeAndFlush(fixture, 2))
    t.notOk(isPaid(fixture))
    fixture.clock.jump(10 * DAY_MS)
    t.ok(isPaid(fixture))
  }
})

const WRONG_MS = [YEAR_MS, 70 * DAY_MS, -YEAR_MS, -40 * DAY_MS, -50 * YEAR_MS]
for (const wrongMs of WRONG_MS)
  for (const restarts of ['never', 'wrong', 'right', 'both'] as const)
    t.test(
      `a clock wrong by ${wrongMs / DAY_MS} days, restart ${restarts}, gives no cap or day twice`,
      async t => {
        const fixture = await AccountsFixture.create()
        const { accountId, keyId } = fixture
        const { secret, id } = await fixture.accounts.createKey(accountId)
        const admit = () =>
          fixture.accounts.charging.takeFromLimits(keyOf(fixture.accounts, secret), 1) === null
        await fixture.accounts.setKeyRules(id, { ...NO_RULES, limits: { ...NO_LIMITS, perDay: 5 } })
        await fixture.accounts.setKeyCap(keyId, 5 * QUERY_PRICE_MICROS)
        /** Returns the queries that passed the limit, and ten times the charged ones. */
        const use = async (queries: number): Promise<number> => {
          let used = 0
          for (let query = 0; query < queries; query++) {
            if (admit()) used++
            if (await chargeAndFlush(fixture, 1)) used += 10
          }
          return used
        }
        t.equal(await use(3), 33)
        fixture.clock.jump(wrongMs)
        if (/wrong|both/.test(restarts)) await fixture.restart()
        const wrong = await use(2)
        fixture.clock.jump(-wrongMs)
        if (/right|both/.test(restarts)) await fixture.restart()
        const again = await use(6)
        // A running server notices the right clock with its next flush.
        const most = /never|wrong/.test(restarts) ? 3 : 2
        t.ok(Math.floor(again / 10) + Math.floor(wrong / 10) <= most, `${wrong}, ${again}: the cap`)
        t.ok((again % 10) + (wrong % 10) <= most, `${wrong}, ${again}: the day`)
        fixture.clock.advance(10 * DAY_MS)
        t.equal(await use(7), 55, 'the next month and day are unused')
      },
    )

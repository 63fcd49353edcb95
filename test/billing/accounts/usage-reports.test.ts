import t from 'tap'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { HOUR_MS } from '../../../src/platform/time.ts'
import { AccountsFixture } from './accounts-fixture.ts'

const QUERIES = 2
const HOURLY_MICROS = QUERIES * QUERY_PRICE_MICROS

t.test('usage by hour and day is exact, limited, and survives a restart', async t => {
  const fixture = await AccountsFixture.create()
  await fixture.accounts.credit({ account: fixture.accountId, micros: 5e6, reference: 'r', kind: 'test' })
  for (let hour = 0; hour < 24 * 100; hour++) {
    if (!fixture.accounts.charging.charge(fixture.key(), (hour % 5) as 0, QUERIES))
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
  t.ok(rows.every(({ balanceMicros }) => balanceMicros >= 0))
  t.ok(
    rows.some(({ kind }) => kind === 'earlier usage'),
    'forgotten history is one line',
  )
})

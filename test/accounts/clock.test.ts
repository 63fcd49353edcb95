/** An operator or a broken time server sets the wall clock forward a year, and back again. */
import t from 'tap'
import { FLUSH_MS_DEFAULT } from '../../src/limits.ts'
import { QUERY_PRICE_MICROS } from '../../src/money.ts'
import { START_MS } from '../ledger/test-clock.ts'
import { Bench } from './support.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365 * DAY_MS

async function chargeAndFlush(bench: Bench, queries: number): Promise<boolean> {
  const charged = bench.accounts.charging.charge(bench.key(), 0, queries)
  bench.clock.advance(FLUSH_MS_DEFAULT)
  await new Promise(resolve => setImmediate(resolve))
  return charged
}

for (const restarts of [false, true]) {
  const when = restarts ? 'with a restart' : 'while running'
  t.test(`a clock set forward a year and back, ${when}, does not block a monthly cap for a year`, async t => {
    const bench = await Bench.create()
    await bench.accounts.setKeyCap(bench.keyId, 5 * QUERY_PRICE_MICROS)
    t.ok(await chargeAndFlush(bench, 2))
    bench.clock.jump(YEAR_MS)
    t.ok(await chargeAndFlush(bench, 1), 'the flush follows the clock')
    t.ok(await chargeAndFlush(bench, 2))
    bench.clock.jump(-YEAR_MS)
    if (restarts) await bench.restart()
    await chargeAndFlush(bench, 1)
    await chargeAndFlush(bench, 1)
    t.equal(bench.accounts.charging.charge(bench.key(), 0, 1), false, 'the cap of this month is used up')
    bench.clock.advance(10 * DAY_MS)
    t.ok(bench.accounts.charging.charge(bench.key(), 0, 5), 'the cap of December is unused')
    t.equal(bench.accounts.charging.charge(bench.key(), 0, 1), false)
    t.equal(bench.accounts.key(bench.keyId)?.monthSpentMicros, 5 * QUERY_PRICE_MICROS)
  })

  t.test(`usage after a clock was set forward and back, ${when}, is dated by the right clock`, async t => {
    const bench = await Bench.create()
    bench.clock.jump(YEAR_MS)
    await chargeAndFlush(bench, 1)
    // These hours exceed a history, so a later hour of this year would be older than all of them.
    for (let hour = 0; hour < 60; hour++) {
      bench.clock.advance(HOUR_MS)
      await chargeAndFlush(bench, 1)
    }
    bench.clock.jump(-YEAR_MS)
    if (restarts) await bench.restart()
    await chargeAndFlush(bench, 1)
    await chargeAndFlush(bench, 1)
    const nowMs = bench.clock.wallMs()
    for (const by of ['hour', 'day'] as const) {
      const rows = bench.accounts.usage(bench.accountId, { by })
      t.ok(rows.length > 0)
      t.ok(
        rows.every(({ startMs }) => startMs <= nowMs + DAY_MS),
        `no ${by} of another year remains`,
      )
    }
    const days = bench.accounts.usage(bench.accountId, { by: 'day' })
    t.equal(
      days.reduce((sum, { queries }) => sum + queries.lookup, 0),
      63,
      'none is lost',
    )
    const lastUsedMs = bench.accounts.key(bench.keyId)?.lastUsedMs ?? 0
    t.ok(lastUsedMs >= START_MS && lastUsedMs <= nowMs, 'the last use is not in the future')
  })
}

t.test("a statement across a wrong clock keeps the ledger's order without negative balances", async t => {
  const bench = await Bench.create()
  await chargeAndFlush(bench, 1000)
  bench.clock.jump(YEAR_MS)
  await bench.accounts.credit({ account: bench.accountId, micros: 28_000, reference: 'r', kind: 'payment' })
  await chargeAndFlush(bench, 500)
  bench.clock.jump(-YEAR_MS)
  await chargeAndFlush(bench, 500)
  await chargeAndFlush(bench, 0)
  const rows = bench.accounts.statement(bench.accountId)
  t.ok(
    rows.every(({ balanceMicros }) => balanceMicros >= 0),
    JSON.stringify(rows.map(({ kind, micros }) => [kind, micros])),
  )
  t.equal(rows.at(-1)?.balanceMicros, 0)
})

t.test('a clock that is set back by less than a day is not followed', async t => {
  const bench = await Bench.create()
  await chargeAndFlush(bench, 1)
  bench.clock.jump(-23 * HOUR_MS)
  await chargeAndFlush(bench, 1)
  t.ok((bench.accounts.key(bench.keyId)?.lastUsedMs ?? 0) >= START_MS)
})

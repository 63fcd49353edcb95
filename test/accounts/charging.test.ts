import t from 'tap'
import { Bench } from './support.ts'

t.test('usage by hour and day is exact, limited, and survives a restart', async t => {
  const bench = await Bench.create()
  await bench.accounts.credit({ account: bench.accountId, micros: 5_000_000, reference: 'r', kind: 'test' })
  for (let hour = 0; hour < 24 * 100; hour++) {
    if (!bench.accounts.charging.charge(bench.key(), (hour % 5) as 0, 2)) t.fail('a charge is refused')
    await bench.clock.pass(3_600_000)
    if (hour % 500 === 0) {
      await new Promise(resolve => setImmediate(resolve))
      await bench.restart()
    }
  }
  const hours = bench.accounts.usage(bench.accountId, { by: 'hour' })
  t.ok(hours.length >= 48)
  t.match(hours.at(-1), { key: bench.keyId, spentMicros: 56 })
  const days = bench.accounts.usage(bench.accountId, { by: 'day' })
  t.ok(days.length >= 90 && days.length < 100)
  t.match(days.at(-2), { queries: { lookup: 10 }, spentMicros: 24 * 56 })
  const fromMs = days.at(-3)?.startMs ?? 0
  t.equal(bench.accounts.usage(bench.accountId, { by: 'day', fromMs }).length, 3)
  const rows = bench.accounts.statement(bench.accountId)
  const total = rows.reduce((sum, { micros }) => sum + micros, 0)
  t.equal(total, bench.accounts.account(bench.accountId)?.balanceMicros)
  t.ok(rows.every(({ balanceMicros }) => balanceMicros >= 0))
  t.ok(
    rows.some(({ kind }) => kind === 'earlier usage'),
    'forgotten history is one line',
  )
})

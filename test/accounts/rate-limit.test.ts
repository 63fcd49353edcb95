/** `model.ts` tests everything but set clocks. */
import t from 'tap'
import { Bench } from './support.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

for (const backMs of [MINUTE_MS, 5 * HOUR_MS, 40 * 24 * HOUR_MS]) {
  t.test(`a clock set back by ${backMs / MINUTE_MS} minutes refills nothing early`, async t => {
    const bench = await Bench.create()
    bench.clock.advance(30 * MINUTE_MS)
    await bench.accounts.setLimits(bench.accountId, { perMinute: null, perHour: 10, perDay: null })
    bench.accounts.charging.admit(bench.key(), 10)
    bench.clock.jump(-backMs)
    t.equal(bench.accounts.charging.admit(bench.key(), 1), 1800, 'while running')
    await bench.restart()
    t.ok(bench.accounts.charging.admit(bench.key(), 1) >= 1800, 'after a restart')
    bench.clock.advance(30 * MINUTE_MS)
    if (backMs < 24 * HOUR_MS)
      t.equal(bench.accounts.charging.admit(bench.key(), 1), 0, 'limits refill in time')
  })
}

t.test('a clock that is set forward is followed, as after a sleep of the machine', async t => {
  const bench = await Bench.create()
  await bench.accounts.setLimits(bench.accountId, { perMinute: null, perHour: null, perDay: 10 })
  bench.accounts.charging.admit(bench.key(), 10)
  bench.clock.jump(24 * HOUR_MS)
  t.equal(bench.accounts.charging.admit(bench.key(), 1), 0)
  t.equal(bench.key().account.currentDay, 1)
})

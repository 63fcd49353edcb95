import t from 'tap'
import { Bench } from './support.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const unlimited = { perMinute: null, perHour: null, perDay: null }

t.test('nothing is counted while limits are off, everything that passes once they are on', async t => {
  const bench = await Bench.create()
  const { accounts, accountId } = bench
  const key = bench.key()
  t.equal(accounts.charging.admit(key, 1_000_000), 0)
  await accounts.setLimits(accountId, { ...unlimited, perHour: 10 })
  t.equal(accounts.charging.admit(key, 4), 0)
  t.match(key.account, { currentMinute: 4, currentHour: 4, currentDay: 4 })
  t.equal(accounts.charging.admit(key, 7), 3600, 'the clock starts at a full hour')
  t.match(
    key.account,
    { currentMinute: 4, currentHour: 4, currentDay: 4 },
    'a refused request is not counted',
  )
  t.equal(accounts.charging.admit(key, 6), 0)
})

t.test('the wait is that of the latest window that is full', async t => {
  const bench = await Bench.create()
  const key = bench.key()
  bench.clock.advance(90_500)
  await bench.accounts.setLimits(bench.accountId, { perMinute: 2, perHour: 3, perDay: null })
  t.equal(bench.accounts.charging.admit(key, 2), 0)
  t.equal(bench.accounts.charging.admit(key, 1), 30, 'whole seconds, rounded up')
  bench.clock.advance(29_500)
  t.equal(bench.accounts.charging.admit(key, 1), 0, 'a new minute')
  t.equal(bench.accounts.charging.admit(key, 1), 3480, 'the hour is full')
})

t.test('a request larger than a limit waits for the end of its window', async t => {
  const bench = await Bench.create()
  await bench.accounts.setLimits(bench.accountId, { perMinute: 5, perHour: null, perDay: null })
  t.equal(bench.accounts.charging.admit(bench.key(), 6), 60)
})

t.test('windows survive a restart', async t => {
  const bench = await Bench.create()
  await bench.accounts.setLimits(bench.accountId, { perMinute: null, perHour: null, perDay: 10 })
  bench.accounts.charging.admit(bench.key(), 10)
  await bench.restart()
  t.equal(bench.accounts.charging.admit(bench.key(), 1), 12 * 3600)
  await bench.accounts.close()
  await bench.open()
  t.equal(bench.accounts.charging.admit(bench.key(), 1), 12 * 3600)
  t.equal(bench.key().account.currentDay, 10)
})

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
    if (backMs < 24 * HOUR_MS) t.equal(bench.accounts.charging.admit(bench.key(), 1), 0, 'and in time')
  })
}

t.test('a clock that is set forward, as after a sleep of the machine, is followed', async t => {
  const bench = await Bench.create()
  await bench.accounts.setLimits(bench.accountId, { perMinute: null, perHour: null, perDay: 10 })
  bench.accounts.charging.admit(bench.key(), 10)
  bench.clock.jump(24 * HOUR_MS)
  t.equal(bench.accounts.charging.admit(bench.key(), 1), 0)
  t.equal(bench.key().account.currentDay, 1)
})

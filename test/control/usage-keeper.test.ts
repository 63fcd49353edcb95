/** Sums that take long are shown as they were, and nobody waits for them twice. */
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { ServiceUsage } from '../../src/accounts/views.ts'
import { UsageKeeper } from '../../src/control/console/usage-keeper.ts'

const sums = (timeMs: number): ServiceUsage => ({ timeMs, days: [], largest: [] })

t.test('sums that are added up at once are those of the moment', async t => {
  let calls = 0
  const keeper = new UsageKeeper(async () => sums(++calls))
  t.match(await keeper.get(), { timeMs: 1 })
  t.match(await keeper.get(), { timeMs: 2 })
})

t.test('pages do not wait for long ones, which are added up once', async t => {
  let calls = 0
  let finish: (usage: ServiceUsage) => void = () => {}
  const keeper = new UsageKeeper(() => {
    calls++
    return new Promise(resolve => {
      finish = resolve
    })
  })
  t.same(await Promise.all([keeper.get(), keeper.get(), keeper.get()]), [null, null, null])
  t.equal(calls, 1)
  finish(sums(7))
  await setImmediate()
  t.match(await keeper.get(), { timeMs: 7 })
  t.match(await keeper.get(), { timeMs: 7 })
  t.equal(calls, 1, 'they are kept')
})

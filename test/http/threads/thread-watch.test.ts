import t from 'tap'
import { bucketOf } from '../../../src/http/latency.ts'
import { COLLECTIONS, ThreadCounts } from '../../../src/http/shared/thread-counts.ts'
import { watchThread } from '../../../src/http/threads/thread-watch.ts'
import { until } from '../../support/until.ts'

const BLOCKED_MS = 400

t.test('a pause of the event loop, collections and the heap are seen from another thread', async t => {
  const written = new ThreadCounts()
  const counts = new ThreadCounts(written.memory)
  let ticks = 0
  const end = watchThread(written, () => ticks++)
  t.teardown(end)
  const delays = () => counts.delays.reduce((sum, count) => sum + count, 0)
  await until(() => delays() > 0 && counts.heapBytes > 0)
  const endMs = performance.now() + BLOCKED_MS
  let garbage: object[] = []
  while (performance.now() < endMs) {
    garbage.push({ next: garbage.length })
    if (garbage.length > 100_000) garbage = []
  }
  // Due at most a tick after the pause began.
  const late = () => counts.delays.subarray(bucketOf((BLOCKED_MS - 150) * 1000)).some(count => count > 0)
  await until(late)
  await until(() => counts.collections(COLLECTIONS.indexOf('minor')).count > 0)
  t.ok(counts.collections(COLLECTIONS.indexOf('minor')).seconds > 0)
  t.ok(ticks > 0)
})

t.test('nothing is counted after its end', async t => {
  const counts = new ThreadCounts()
  let ticks = 0
  const end = watchThread(counts, () => ticks++)
  await until(() => ticks > 0)
  end()
  const before = ticks
  await new Promise(resolve => setImmediate(resolve))
  t.equal(ticks, before)
})

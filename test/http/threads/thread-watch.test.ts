import t from 'tap'
import { COLLECTIONS, ThreadCounts } from '../../../src/http/counts.ts'
import { BUCKETS } from '../../../src/http/histogram.ts'
import { watchThread } from '../../../src/http/threads/thread-watch.ts'
import { until } from '../../support/until.ts'

const BLOCKED_MS = 400

t.test('a pause of the event loop, collections and the heap are seen from another thread', async t => {
  const written = new ThreadCounts()
  const counts = new ThreadCounts(written.memory)
  const end = watchThread(written)
  t.teardown(end)
  const delays = () => counts.delays.subarray(0, BUCKETS.length + 1).reduce((sum, count) => sum + count, 0)
  await until(() => delays() > 0 && counts.heapBytes > 0)
  const endMs = performance.now() + BLOCKED_MS
  let garbage: object[] = []
  while (performance.now() < endMs) {
    garbage.push({ next: garbage.length })
    if (garbage.length > 100_000) garbage = []
  }
  // Due at most a tick after the pause began.
  const lateBucket = BUCKETS.findIndex(end => end >= (BLOCKED_MS - 150) * 1000)
  const late = () => counts.delays.subarray(lateBucket, BUCKETS.length + 1).some(count => count > 0)
  await until(late)
  await until(() => counts.collections[COLLECTIONS.indexOf('minor')] > 0)
  t.ok(counts.collectionSeconds[COLLECTIONS.indexOf('minor')] > 0)
})

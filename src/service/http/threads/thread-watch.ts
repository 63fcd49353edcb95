/** Measures a server thread: the delay of its event loop, its heap. */
import { getHeapStatistics } from 'node:v8'
import { GAUGE, type ThreadCounts } from '../counts.ts'
import { countTime } from '../histogram.ts'

/** Time between measurements of the delay. A shorter pause is seen only by chance. */
const TICK_MS = 100
/** Measurements of the delay for each measurement of the heap. */
const HEAP_TICKS = 20

/** Counts in `counts` from now on. Returns a function that ends it. */
export function watchThread(counts: ThreadCounts): () => void {
  let dueMs = performance.now() + TICK_MS
  let ticks = 0
  const timer = setInterval(() => {
    const nowMs = performance.now()
    countTime(counts.delays, (nowMs - dueMs) * 1000)
    dueMs = nowMs + TICK_MS
    if (ticks++ % HEAP_TICKS === 0) counts.gauges[GAUGE.heapBytes] = getHeapStatistics().used_heap_size
  }, TICK_MS).unref()
  return () => clearInterval(timer)
}

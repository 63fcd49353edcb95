/** Measures a server thread: the delay of its event loop, its garbage collections, its heap. */
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { type COLLECTIONS, GAUGE, type ThreadCounts } from '../counts.ts'
import { countTime } from '../histogram.ts'

/** Time between measurements of the delay. A shorter pause is seen only by chance. */
const TICK_MS = 100
/** Measurements of the delay for each measurement of the heap. */
const HEAP_TICKS = 20

const COLLECTION_KINDS: Readonly<Record<number, number>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 0,
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 1,
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 2,
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 3,
} satisfies Record<number, keyof typeof COLLECTIONS>

interface NodeEntry {
  duration: number
  detail?: { kind: number }
}

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
  const collections = new PerformanceObserver(list => {
    // Entries of Node.js have a detail, which the types of the web lack.
    for (const { detail, duration } of list.getEntries() as unknown as NodeEntry[]) {
      const kind = COLLECTION_KINDS[detail?.kind ?? 0] ?? 0
      counts.collections[kind]++
      counts.collectionSeconds[kind] += duration / 1000
    }
  })
  collections.observe({ entryTypes: ['gc'] })
  return () => {
    clearInterval(timer)
    collections.disconnect()
  }
}

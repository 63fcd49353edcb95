/** Watches a server thread from within: the delay of its event loop, its garbage collections, its heap. */
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { COLLECTIONS, ThreadCounts } from '../shared/thread-counts.ts'

/** How often the delay is measured. Every pause this long is seen, a shorter one by chance: ten wake-ups a second cost nothing. */
const TICK_MS = 100
/** Ticks between two measurements of the heap. */
const HEAP_TICKS = 20

const KINDS: Readonly<Record<number, number>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 0,
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 1,
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 2,
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 3,
} satisfies Record<number, keyof typeof COLLECTIONS>

interface NodeEntry {
  duration: number
  detail?: { kind: number }
}

/**
 * Counts in `counts` from now on.
 * @param onTick called ten times a second
 * @returns ends it
 */
export function watchThread(counts: ThreadCounts, onTick: () => void): () => void {
  let dueMs = performance.now() + TICK_MS
  let ticks = 0
  const timer = setInterval(() => {
    const nowMs = performance.now()
    counts.delayed((nowMs - dueMs) * 1000)
    dueMs = nowMs + TICK_MS
    if (ticks++ % HEAP_TICKS === 0) counts.heapBytes = getHeapStatistics().used_heap_size
    onTick()
  }, TICK_MS).unref()
  const collections = new PerformanceObserver(list => {
    // The entries of Node.js have a detail, which the types of the web do not know.
    for (const { detail, duration } of list.getEntries() as unknown as NodeEntry[])
      counts.collected(KINDS[detail?.kind ?? 0] ?? 0, duration / 1000)
  })
  collections.observe({ entryTypes: ['gc'] })
  return () => {
    clearInterval(timer)
    collections.disconnect()
  }
}

/** Metrics of the process and of Node.js, as every Prometheus client of Node.js names them. */
import { collectDefaultMetrics, Registry } from 'prom-client'

/** Collections that take from 0.1 ms to a second: longer ones are seen in the latency of answers. */
const GC_BUCKETS_SECONDS = [0.0001, 0.001, 0.01, 0.1, 1]

/**
 * Memory, CPU time, descriptors, garbage collections and the delay of the main thread's event loop.
 * Costs a timer of 10 ms and an observer for as long as the process lives: call it once.
 */
export function watchProcess(): () => Promise<string> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, gcDurationBuckets: GC_BUCKETS_SECONDS })
  return () => registry.metrics()
}

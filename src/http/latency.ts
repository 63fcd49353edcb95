/** How long answers take inside the server: a histogram of a sample of them, kept since the start. */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { Latency } from '../data-plane.ts'

/** One answer of so many is measured: a clock costs some 40 ns, which one of sixteen does not feel. */
const SAMPLE_EVERY = 16
const MICROS_MAX = 10_000_000

export class LatencySample {
  readonly #histogram: RecordableHistogram = createHistogram({ lowest: 1, highest: MICROS_MAX, figures: 2 })
  #answers = 0

  /** Counts an answer that has just been sent to a request that began at `startedMs` of the monotonic clock. */
  answered(startedMs: number): void {
    this.#answers = (this.#answers + 1) % SAMPLE_EVERY
    if (this.#answers === 1) this.record((performance.now() - startedMs) * 1000)
  }

  /** Counts a time. Times outside 1 microsecond to 10 seconds are counted at the ends of that range. */
  record(micros: number): void {
    this.#histogram.record(Math.min(Math.max(Math.round(micros), 1), MICROS_MAX))
  }

  /** Null before the first measurement. */
  quantiles(): Latency | null {
    if (this.#histogram.count === 0) return null
    return { p50Micros: this.#histogram.percentile(50), p99Micros: this.#histogram.percentile(99) }
  }
}

/** How long answers take inside the server: a histogram of a sample of them, kept since the start. */
import type { Latency } from '../data-plane.ts'

/** Steps per doubling: a quantile is exact to an eighth of itself. */
const STEPS = 8
/** From 1 microsecond to about 8 seconds. */
const DOUBLINGS = 23

/** One answer of so many is measured: a clock costs some 40 ns, which one of sixteen does not feel. */
const SAMPLE_EVERY = 16

export class LatencySample {
  readonly #counts = new Float64Array(STEPS * DOUBLINGS)
  #answers = 0
  #measured = 0

  /** Counts an answer that has just been sent to a request that began at `startedMs` of the monotonic clock. */
  answered(startedMs: number): void {
    this.#answers = (this.#answers + 1) % SAMPLE_EVERY
    if (this.#answers === 1) this.record((performance.now() - startedMs) * 1000)
  }

  record(micros: number): void {
    const step = Math.floor(Math.log2(Math.max(1, micros)) * STEPS)
    const at = Math.min(step, this.#counts.length - 1)
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#measured++
  }

  /** Null before the first measurement. */
  quantiles(): Latency | null {
    if (this.#measured === 0) return null
    return { p50Micros: this.#quantile(0.5), p99Micros: this.#quantile(0.99) }
  }

  /** Upper end of the step that holds the quantile. */
  #quantile(share: number): number {
    let rest = this.#measured * share
    const at = this.#counts.findIndex(count => {
      rest -= count
      return rest <= 0
    })
    return 2 ** ((at + 1) / STEPS)
  }
}

/** How long answers take inside the server: a histogram of a sample of them, kept since the start. */
import type { Latency } from '../data-plane.ts'
import type { Sample } from '../platform/metric.ts'

/** One answer of so many is measured: a clock costs some 40 ns, which one of sixteen does not feel. */
const SAMPLE_EVERY = 16
const MICROS_MAX = 10_000_000

/** Each doubling of the time is divided into so many buckets, hence a quantile is at most 3 percent above the truth. */
const BUCKETS_PER_DOUBLING = 32
const BUCKET_BITS = 5
/** Below this a bucket is one microsecond wide. */
const FINE_MICROS = 2 * BUCKETS_PER_DOUBLING

/** Length of the array that a sample counts in: one number for each bucket. */
export const LATENCY_CELLS = bucketOf(MICROS_MAX) + 1

/** Counts in numbers that another thread may read at any time. Only one thread counts in them. */
export class LatencySample {
  readonly #counts: Float64Array
  #answers = 0

  /** @param counts `LATENCY_CELLS` numbers */
  constructor(counts: Float64Array = new Float64Array(LATENCY_CELLS)) {
    this.#counts = counts
  }

  /** Counts an answer that has just been sent to a request that began at `startedMs` of `performance.now()`. */
  answered(startedMs: number): void {
    this.#answers = (this.#answers + 1) % SAMPLE_EVERY
    if (this.#answers === 1) this.record((performance.now() - startedMs) * 1000)
  }

  /** Counts a time. Times outside 0 to 10 seconds are counted at the ends of that range. */
  record(micros: number): void {
    this.#counts[bucketOf(Math.min(Math.max(Math.round(micros), 0), MICROS_MAX))]++
  }

  /** Null before the first measurement. */
  quantiles(): Latency | null {
    return quantilesOf([this.#counts])
  }
}

/** The quantiles of several samples together, each given by its counts; null before the first measurement. */
export function quantilesOf(samples: readonly Float64Array[]): Latency | null {
  const counts = new Float64Array(LATENCY_CELLS)
  for (const sample of samples) for (let i = 0; i < LATENCY_CELLS; i++) counts[i] += sample[i]
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  return { p50Micros: quantile(counts, total * 0.5), p99Micros: quantile(counts, total * 0.99) }
}

/** Upper ends of the buckets that Prometheus gets, in microseconds: three for each power of ten, from 10 us. */
const REPORTED_MICROS = [1, 2, 3, 4, 5, 6].flatMap(power => [1, 2.5, 5].map(part => part * 10 ** power))

/** Several samples together as a histogram of seconds. A time counts as the longest one of its own, finer bucket. */
export function latencyHistogram(samples: readonly Float64Array[]): Sample[] {
  const reported = new Float64Array(REPORTED_MICROS.length + 1)
  let sumMicros = 0
  for (let bucket = 0; bucket < LATENCY_CELLS; bucket++) {
    const micros = longestOf(bucket)
    let count = 0
    for (const sample of samples) count += sample[bucket]
    const place = REPORTED_MICROS.findIndex(end => micros <= end)
    reported[place === -1 ? REPORTED_MICROS.length : place] += count
    sumMicros += count * micros
  }
  let total = 0
  const buckets = Array.from(reported, (count, i): Sample => {
    total += count
    const le = i === REPORTED_MICROS.length ? '+Inf' : String(REPORTED_MICROS[i] / 1e6)
    return { suffix: '_bucket', labels: { le }, value: total }
  })
  return [...buckets, { suffix: '_sum', value: sumMicros / 1e6 }, { suffix: '_count', value: total }]
}

/** The longest time of the bucket in which the count reaches `rank`. */
function quantile(counts: Float64Array, rank: number): number {
  let count = 0
  let bucket = 0
  for (; bucket < LATENCY_CELLS - 1; bucket++) {
    count += counts[bucket]
    if (count >= rank) break
  }
  return longestOf(bucket)
}

/** @param micros a whole number from 0 to 2^31 */
function bucketOf(micros: number): number {
  if (micros < FINE_MICROS) return micros
  const doubling = 31 - Math.clz32(micros) - BUCKET_BITS
  return doubling * BUCKETS_PER_DOUBLING + (micros >>> doubling)
}

/** The longest time that `bucketOf` puts into `bucket`, in microseconds. */
function longestOf(bucket: number): number {
  if (bucket < FINE_MICROS) return bucket
  const doubling = Math.floor(bucket / BUCKETS_PER_DOUBLING) - 1
  const first = bucket - doubling * BUCKETS_PER_DOUBLING
  return (first + 1) * 2 ** doubling - 1
}

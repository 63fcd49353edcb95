/** How long something takes: a histogram of one number for each bucket, counted since the start. */
import type { Latency } from '../data-plane.ts'
import type { Sample } from '../platform/metric.ts'

const MICROS_MAX = 10_000_000

/** Each doubling of the time is divided into so many buckets, hence a quantile is at most 3 percent above the truth. */
const BUCKETS_PER_DOUBLING = 32
const BUCKET_BITS = 5
/** Below this a bucket is one microsecond wide. */
const FINE_MICROS = 2 * BUCKETS_PER_DOUBLING

/** Length of the array that times are counted in. */
export const LATENCY_CELLS = placeOf(MICROS_MAX) + 1

/** The cell that counts a time in microseconds. Times outside 0 to 10 seconds are counted at the ends of that range. */
export function bucketOf(micros: number): number {
  return micros > 0 ? placeOf(micros < MICROS_MAX ? Math.round(micros) : MICROS_MAX) : 0
}

/** The quantiles of several arrays of counts together; null before the first measurement. */
export function quantilesOf(taken: readonly Float64Array[]): Latency | null {
  const counts = new Float64Array(LATENCY_CELLS)
  for (const each of taken) for (let i = 0; i < LATENCY_CELLS; i++) counts[i] += each[i]
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  return { p50Micros: quantile(counts, total * 0.5), p99Micros: quantile(counts, total * 0.99) }
}

/** Upper ends of the buckets of answers, in microseconds: six for each power of ten, so that a quantile is within half of it. */
export const ANSWER_BUCKETS = [10, 100, 1e3, 1e4, 1e5, 1e6].flatMap(power =>
  [1, 1.5, 2.2, 3.3, 4.7, 6.8].map(part => Math.round(part * power)),
)
/** Those of the delays of an event loop: a pause below a millisecond is none. */
export const DELAY_BUCKETS = [1e3, 1e4, 1e5, 1e6].flatMap(power => [1, 2.5, 5].map(part => part * power))

/**
 * Several arrays of counts together as a histogram of seconds. A time counts as the longest one of its own, finer bucket.
 * @param bucketsMicros upper ends, ascending
 */
export function latencyHistogram(
  taken: readonly Float64Array[],
  bucketsMicros: readonly number[],
  labels: Sample['labels'] = {},
): Sample[] {
  const reported = new Float64Array(bucketsMicros.length + 1)
  let sumMicros = 0
  let place = 0
  for (let bucket = 0; bucket < LATENCY_CELLS; bucket++) {
    const micros = longestOf(bucket)
    let count = 0
    for (const each of taken) count += each[bucket]
    while (place < bucketsMicros.length && micros > bucketsMicros[place]) place++
    reported[place] += count
    sumMicros += count * micros
  }
  let total = 0
  const buckets = Array.from(reported, (count, i): Sample => {
    total += count
    const le = i === bucketsMicros.length ? '+Inf' : String(bucketsMicros[i] / 1e6)
    return { suffix: '_bucket', labels: { ...labels, le }, value: total }
  })
  return [
    ...buckets,
    { suffix: '_sum', labels, value: sumMicros / 1e6 },
    { suffix: '_count', labels, value: total },
  ]
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
function placeOf(micros: number): number {
  if (micros < FINE_MICROS) return micros
  const doubling = 31 - Math.clz32(micros) - BUCKET_BITS
  return doubling * BUCKETS_PER_DOUBLING + (micros >>> doubling)
}

/** The longest time that `placeOf` puts into `bucket`, in microseconds. */
function longestOf(bucket: number): number {
  if (bucket < FINE_MICROS) return bucket
  const doubling = Math.floor(bucket / BUCKETS_PER_DOUBLING) - 1
  const first = bucket - doubling * BUCKETS_PER_DOUBLING
  return (first + 1) * 2 ** doubling - 1
}

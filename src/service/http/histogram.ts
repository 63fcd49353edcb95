/** Histograms of times: counts of buckets since the start, then the sum of all times. */

import type { Sample } from '../../platform/metric.ts'
import type { Latency } from '../data-plane.ts'

/** Upper ends of the buckets in microseconds, six for each power of ten from 1 µs to 6.8 s. */
const BUCKETS: readonly number[] = [0, 1, 2, 3, 4, 5, 6].flatMap(power =>
  ['1', '1.5', '2.2', '3.3', '4.7', '6.8'].map(part => Number(`${part}e${power}`)),
)
/** Cell of the sum, after the buckets and the cell of longer times. */
const SUM = BUCKETS.length + 1
export const HISTOGRAM_CELLS = SUM + 1

/** Counts a time. A negative one counts as zero. */
export function countTime(cells: Float64Array, micros: number): void {
  let bucket = 0
  while (micros > BUCKETS[bucket]) bucket++
  cells[bucket]++
  if (micros > 0) cells[SUM] += micros
}

export function quantilesOf(taken: readonly Float64Array[]): Latency | null {
  const cells = sumOf(taken)
  const total = cells.subarray(0, SUM).reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  return { p50Micros: quantile(cells, total * 0.5), p99Micros: quantile(cells, total * 0.99) }
}

export function histogramSamples(taken: readonly Float64Array[], labels: Sample['labels'] = {}): Sample[] {
  const cells = sumOf(taken)
  let count = 0
  const buckets = Array.from(cells.subarray(0, SUM), (value, i): Sample => {
    count += value
    const le = i === BUCKETS.length ? '+Inf' : String(Number((BUCKETS[i] / 1e6).toPrecision(2)))
    return { suffix: '_bucket', labels: { ...labels, le }, value: count }
  })
  return [
    ...buckets,
    { suffix: '_sum', labels, value: cells[SUM] / 1e6 },
    { suffix: '_count', labels, value: count },
  ]
}

function sumOf(taken: readonly Float64Array[]): Float64Array {
  return Float64Array.from({ length: HISTOGRAM_CELLS }, (_, i) =>
    taken.reduce((sum, cells) => sum + cells[i], 0),
  )
}

/** Returns the whole microseconds below which `rank` times lie, if times are spread evenly in each bucket. */
function quantile(cells: Float64Array, rank: number): number {
  let count = 0
  for (const [bucket, end] of BUCKETS.entries()) {
    const start = bucket === 0 ? 0 : BUCKETS[bucket - 1]
    if (count + cells[bucket] >= rank)
      return Math.round(start + ((end - start) * (rank - count)) / cells[bucket])
    count += cells[bucket]
  }
  return BUCKETS[BUCKETS.length - 1]
}

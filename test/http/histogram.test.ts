import t from 'tap'
import {
  BUCKETS,
  countTime,
  HISTOGRAM_CELLS,
  histogramSamples,
  quantilesOf,
} from '../../src/http/histogram.ts'

const histogram = (...micros: number[]) => {
  const cells = new Float64Array(HISTOGRAM_CELLS)
  for (const each of micros) countTime(cells, each)
  return cells
}

t.test('quantiles are exact to an eighth', async t => {
  t.equal(quantilesOf([histogram()]), null, 'nothing measured yet')
  const times = Array.from({ length: 10_000 }, (_, i) => i + 1)
  const { p50Micros, p99Micros } = quantilesOf([histogram(...times)]) ?? { p50Micros: 0, p99Micros: 0 }
  t.ok(Math.abs(p50Micros - 5000) <= 625, `p50 ${p50Micros}`)
  t.ok(Math.abs(p99Micros - 9900) <= 1237, `p99 ${p99Micros}`)
})

t.test('Prometheus gets the sum of all samples in cumulative buckets', async t => {
  const taken = [histogram(3, 40, 40, 900, 0, -5), histogram(40, 6_500_000, 1e12)]
  const samples = histogramSamples(taken, { endpoint: 'lookup' })
  const upTo = (le: string) => samples.find(({ labels }) => labels?.le === le)?.value
  t.same(
    ['0.000001', '0.0000033', '0.000047', '0.001', '4.7', '6.8', '+Inf'].map(upTo),
    [2, 3, 6, 7, 7, 8, 9],
  )
  t.equal(samples.at(-1)?.value, 9, 'the count')
  t.equal(samples.at(-2)?.value, (3 + 3 * 40 + 900 + 6_500_000 + 1e12) / 1e6, 'the sum')
  t.equal(samples.length, BUCKETS.length + 3)
})

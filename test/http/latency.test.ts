import t from 'tap'
import {
  ANSWER_BUCKETS,
  bucketOf,
  LATENCY_CELLS,
  latencyHistogram,
  quantilesOf,
} from '../../src/http/latency.ts'

t.test('quantiles are exact to an eighth', async t => {
  const counts = new Float64Array(LATENCY_CELLS)
  t.equal(quantilesOf([counts]), null, 'nothing measured yet')
  for (let micros = 1; micros <= 10_000; micros++) counts[bucketOf(micros)]++
  const { p50Micros, p99Micros } = quantilesOf([counts]) ?? { p50Micros: 0, p99Micros: 0 }
  t.ok(p50Micros >= 5000 && p50Micros <= 5000 * 1.125, `p50 ${p50Micros}`)
  t.ok(p99Micros >= 9900 && p99Micros <= 9900 * 1.125, `p99 ${p99Micros}`)
})

t.test('times beyond the scale are counted at its ends', async t => {
  for (const micros of [0, -5, Number.NaN]) t.equal(bucketOf(micros), 0)
  t.equal(bucketOf(1e12), LATENCY_CELLS - 1)
})

t.test('Prometheus gets the sum of all samples in cumulative buckets', async t => {
  const [one, other] = [new Float64Array(LATENCY_CELLS), new Float64Array(LATENCY_CELLS)]
  for (const micros of [3, 40, 40, 900]) one[bucketOf(micros)]++
  for (const micros of [40, 6_500_000]) other[bucketOf(micros)]++
  const samples = latencyHistogram([one, other], ANSWER_BUCKETS, { endpoint: 'lookup' })
  const upTo = (le: string) => samples.find(({ labels }) => labels?.le === le)?.value
  t.same(['0.00001', '0.000047', '0.001', '4.7', '6.8', '+Inf'].map(upTo), [1, 4, 5, 5, 6, 6])
  t.equal(samples.at(-1)?.value, 6, 'the count')
  const sum = samples.at(-2)?.value ?? 0
  t.ok(sum >= 6.501 && sum <= 6.501 * 1.03, `the sum ${sum}`)
  const buckets = samples.filter(({ suffix }) => suffix === '_bucket').map(({ value }) => value)
  t.same(
    buckets,
    [...buckets].sort((a, b) => a - b),
  )
})

import t from 'tap'
import { LATENCY_CELLS, LatencySample, latencyHistogram } from '../../src/http/latency.ts'

t.test('quantiles are exact to an eighth', async t => {
  const sample = new LatencySample()
  t.equal(sample.quantiles(), null, 'nothing measured yet')
  for (let micros = 1; micros <= 10_000; micros++) sample.record(micros)
  const { p50Micros, p99Micros } = sample.quantiles() ?? { p50Micros: 0, p99Micros: 0 }
  t.ok(p50Micros >= 5000 && p50Micros <= 5000 * 1.125, `p50 ${p50Micros}`)
  t.ok(p99Micros >= 9900 && p99Micros <= 9900 * 1.125, `p99 ${p99Micros}`)
})

t.test('times beyond the scale are counted at its ends', async t => {
  const sample = new LatencySample()
  for (const micros of [0, -5, 1e12]) sample.record(micros)
  t.ok(Number.isFinite(sample.quantiles()?.p99Micros))
})

t.test('Prometheus gets the sum of all samples in cumulative buckets', async t => {
  const [one, other] = [new Float64Array(LATENCY_CELLS), new Float64Array(LATENCY_CELLS)]
  for (const micros of [3, 40, 40, 900]) new LatencySample(one).record(micros)
  for (const micros of [40, 7_000_000]) new LatencySample(other).record(micros)
  const samples = latencyHistogram([one, other])
  const upTo = (le: string) => samples.find(({ labels }) => labels?.le === le)?.value
  t.same(['1e-05', '0.00001', '0.00005', '0.001', '5', '+Inf'].map(upTo), [undefined, 1, 4, 5, 5, 6])
  t.equal(samples.at(-1)?.value, 6, 'the count')
  const sum = samples.at(-2)?.value ?? 0
  t.ok(sum >= 7.001 && sum <= 7.001 * 1.03, `the sum ${sum}`)
  const buckets = samples.filter(({ suffix }) => suffix === '_bucket').map(({ value }) => value)
  t.same(
    buckets,
    [...buckets].sort((a, b) => a - b),
  )
})

import t from 'tap'
import { LatencySample } from '../../src/http/latency.ts'

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

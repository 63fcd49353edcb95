import t from 'tap'
import { processMetrics, renderMetrics } from '../../src/control/reports/metrics.ts'
import { metric } from '../../src/platform/metric.ts'

t.test('labels are escaped and each metric has its help and type', async t => {
  const samples = [{ labels: { path: 'a"b\\c\nd' }, value: 3 }]
  t.equal(
    renderMetrics([{ name: 'requests_total', help: 'Requests.', type: 'counter', samples }]),
    '# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{path="a\\"b\\\\c\\nd"} 3\n',
  )
  t.match(renderMetrics([metric('up', 'Up.', 'gauge', 1)]), /^up 1$/m)
})

t.test('the process reports memory and time', async t => {
  t.match(renderMetrics(processMetrics()), /^process_resident_memory_bytes \d+$/m)
})

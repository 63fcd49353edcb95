import t from 'tap'
import { renderMetrics } from '../../src/control/reports/metrics.ts'
import { watchProcess } from '../../src/control/reports/process-metrics.ts'
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
  const text = await watchProcess()()
  t.match(text, /^process_resident_memory_bytes \d+$/m)
  t.match(text, /^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m)
})

/** Metrics in Prometheus' text format. */

import { type Metric, metric, type Sample } from '../../platform/metric.ts'

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The text that a scraper reads. */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(({ labels, value }) => `${name}${renderLabels(labels)} ${value}\n`)
      return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

function renderLabels(labels: Sample['labels']): string {
  const pairs = Object.entries(labels ?? {})
  if (pairs.length === 0) return ''
  const quoted = (text: string) =>
    text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `{${pairs.map(([name, value]) => `${name}="${quoted(value)}"`).join(',')}}`
}

/** Metrics of the process itself. */
export function processMetrics(): Metric[] {
  const { rss, heapUsed } = process.memoryUsage()
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  return [
    metric(
      'process_start_time_seconds',
      'Start of the process, seconds since 1970.',
      'gauge',
      STARTED_SECONDS,
    ),
    metric(
      'process_cpu_seconds_total',
      'CPU time of all threads.',
      'counter',
      (userCPUTime + systemCPUTime) / 1e6,
    ),
    metric('process_resident_memory_bytes', 'Resident memory, mapped index included.', 'gauge', rss),
    metric('nodejs_heap_used_bytes', 'JavaScript heap in use.', 'gauge', heapUsed),
  ]
}

const STARTED_SECONDS = Math.round(Date.now() / 1000 - process.uptime())

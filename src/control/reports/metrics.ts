/** Metrics in Prometheus' text format. */

import type { Metric, Sample } from '../../platform/metric.ts'

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The text that a scraper reads. */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(
        ({ suffix = '', labels, value }) => `${name}${suffix}${renderLabels(labels)} ${value}\n`,
      )
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

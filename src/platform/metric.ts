/** One figure of the service, in the terms of Prometheus. */
export interface Metric {
  /** Ends with its unit: `postrie_requests_total`, `process_resident_memory_bytes`. */
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: readonly Sample[]
}

export interface Sample {
  /** Suffix of the metric's name, in a histogram. */
  suffix?: '_bucket' | '_sum' | '_count'
  labels?: Readonly<Record<string, string>>
  value: number
}

/** @param value that of the only sample, or all samples */
export function metric(
  name: string,
  help: string,
  type: Metric['type'],
  value: number | readonly Sample[],
): Metric {
  return { name, help, type, samples: typeof value === 'number' ? [{ value }] : value }
}

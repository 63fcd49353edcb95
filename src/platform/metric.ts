/** One figure that the service reports, in the terms of Prometheus. Both planes contribute some. */
export interface Metric {
  /** Ends with its unit: `postrie_requests_total`, `process_resident_memory_bytes`. */
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: readonly Sample[]
}

export interface Sample {
  /** Of a histogram: what follows the name of the metric. */
  suffix?: '_bucket' | '_sum' | '_count'
  labels?: Readonly<Record<string, string>>
  value: number
}

/** A metric with one sample. */
export function metric(name: string, help: string, type: Metric['type'], value: number): Metric {
  return { name, help, type, samples: [{ value }] }
}

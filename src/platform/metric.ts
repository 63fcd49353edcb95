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

type Value = number | readonly Sample[]

/** Returns a figure that goes up and down. @param value the only sample's, or all samples */
export const gauge = (name: string, help: string, value: Value) => metric('gauge', name, help, value)
export const counter = (name: string, help: string, value: Value) => metric('counter', name, help, value)
export const histogram = (name: string, help: string, samples: Sample[]) =>
  metric('histogram', name, help, samples)

function metric(type: Metric['type'], name: string, help: string, value: Value): Metric {
  return { name, help, type, samples: typeof value === 'number' ? [{ value }] : value }
}

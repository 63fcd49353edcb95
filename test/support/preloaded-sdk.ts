/** An SDK as an operator would load it with `--import`: prints the name and the trace of each span to standard error. */

import { writeSync } from 'node:fs'
import { trace } from '@opentelemetry/api'
import { type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

const exporter = {
  export(spans: ReadableSpan[], done: (result: { code: number }) => void) {
    for (const span of spans) writeSync(2, `span ${span.name} ${span.spanContext().traceId}\n`)
    done({ code: 0 })
  },
  shutdown: async () => {},
}
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))

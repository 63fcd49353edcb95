/** `test/operate/otlp.test.ts` tests the content of spans. */
import { propagation, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import t from 'tap'
import { AnswerHeads } from '../../../src/service/http/answer-heads.ts'
import { requestTracer } from '../../../src/service/http/tracing.ts'
import { startApp } from '../../support/app.ts'
import { send } from '../../support/post.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
trace.setGlobalTracerProvider(provider)
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
t.beforeEach(() => exporter.reset())

t.test('a span is in the trace of its client, if the client records it', async t => {
  const { baseUrl, key } = await startApp(t, undefined, {
    observers: { heads: new AnswerHeads([]), tracer: requestTracer(1) },
  })
  const ask = (traceparent?: string) =>
    send(baseUrl, '/api/lookup', {
      method: 'POST',
      headers: traceparent === undefined ? {} : { traceparent },
      body: JSON.stringify({ apiKey: key, zipcode: '90210' }),
    })
  await ask(`00-${TRACE}-${PARENT}-00`)
  await ask()
  await ask('malformed')
  await ask(`00-${TRACE}-${PARENT}-01`)
  const spans = exporter.getFinishedSpans()
  t.equal(spans.length, 3, 'the client of the first request does not record it')
  t.same(
    spans.map(({ parentSpanContext }) => parentSpanContext?.spanId),
    [undefined, undefined, PARENT],
  )
  t.equal(spans[2].spanContext().traceId, TRACE)
})

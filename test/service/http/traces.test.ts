/** `test/operate/otlp.test.ts` tests the content of spans. */
import { trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import t from 'tap'
import { AnswerHeads } from '../../../src/service/http/answer-heads.ts'
import { parseTraceparent, requestTracer } from '../../../src/service/http/tracing.ts'
import { startApp } from '../../support/app.ts'
import { send } from '../../support/post.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
trace.setGlobalTracerProvider(provider)
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

t.test('traceparent is read as its standard says', async t => {
  const sound = `00-${TRACE}-${PARENT}-01`
  t.same(parseTraceparent(sound), { traceId: TRACE, spanId: PARENT, traceFlags: 1, isRemote: true })
  t.match(parseTraceparent(`cc-${TRACE}-${PARENT}-00-later`), { traceFlags: 0 }, 'a later version')
  for (const text of [
    '',
    sound.toUpperCase(),
    `${sound}-more`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `cc-${TRACE}-${PARENT}-00-${'x'.repeat(200)}`,
  ])
    t.equal(parseTraceparent(text), undefined, text)
})

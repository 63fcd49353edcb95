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

t.test('a client turns the trace of its own request on or off', async t => {
  const { baseUrl, key } = await startApp(t, undefined, {
    observers: { heads: new AnswerHeads([]), tracer: requestTracer(0) },
  })
  const ask = (traceparent?: string) =>
    send(baseUrl, '/api/lookup', {
      method: 'POST',
      headers: traceparent === undefined ? {} : { traceparent },
      body: JSON.stringify({ apiKey: key, zipcode: '90210' }),
    })
  await ask()
  await ask('malformed')
  await ask(`00-${TRACE}-${PARENT}-00`)
  t.equal(exporter.getFinishedSpans().length, 0, 'two requests were not drawn, the client refused the third')
  await ask(`00-${TRACE}-${PARENT}-01`)
  const [span] = exporter.getFinishedSpans()
  t.equal(span.spanContext().traceId, TRACE)
  t.equal(span.parentSpanContext?.spanId, PARENT)
})

t.test('clients can trace only a limited number of requests', async t => {
  const tracer = requestTracer(0)
  const { parts } = await startApp(t)
  const { request } = parts.replies
  request.begin(5000)
  request.endedMs = 5001
  const notes = { id: undefined, traceparent: `00-${TRACE}-${PARENT}-01`, wantsBuild: false }
  for (let i = 0; i < 500; i++) tracer(request, 0, notes)
  t.equal(exporter.getFinishedSpans().length, 100)
  request.endedMs = 6001
  tracer(request, 0, notes)
  t.equal(exporter.getFinishedSpans().length, 101, 'the next second has its own')
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

import { propagation, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import t from 'tap'
import { ANSWER_HEADERS } from '../../../src/platform/settings/settings.ts'
import { AnswerHeads } from '../../../src/service/http/answer-heads.ts'
import { requestTracer } from '../../../src/service/http/tracing.ts'
import { startApp } from '../../support/app.ts'
import { send } from '../../support/post.ts'
import { RawSocket } from '../../support/raw-socket.ts'

const NAMES = ['x-request-id', 'x-index-build', 'ratelimit', 'ratelimit-policy']

const asking =
  (baseUrl: string, apiKey: string) =>
  (headers: Record<string, string>, path = '/api/lookup') =>
    send(baseUrl, path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ apiKey, zipcode: '90210' }),
    })

t.test('an answer has no header that neither a setting nor the client asked for', async t => {
  const { baseUrl, key, context } = await startApp(t)
  const ask = asking(baseUrl, key)
  const plain = await ask({ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' })
  t.same(
    NAMES.filter(name => plain.headers.has(name)),
    [],
  )
  t.equal(plain.headers.get('content-type'), 'application/json')
  const asked = await ask({ 'X-Request-Id': 'client-7', 'X-Index-Build': '1' })
  t.equal(asked.headers.get('x-request-id'), 'client-7')
  t.equal(asked.headers.get('x-index-build'), context.index.file.buildId)
  t.equal(asked.headers.get('content-type'), 'application/json')
  const again = await ask({})
  t.equal(again.headers.get('x-request-id'), null, 'the next request has no id')
})

t.test('an id that is too long or has other characters is replaced', async t => {
  const { port, baseUrl, key } = await startApp(t)
  const ask = asking(baseUrl, key)
  t.equal((await ask({ 'X-Request-Id': 'a'.repeat(128) })).headers.get('x-request-id'), 'a'.repeat(128))
  for (const id of ['a'.repeat(129), 'a b', 'a"b', 'a,b', '<a>', 'a;b', 'ä']) {
    const made = (await ask({ 'X-Request-Id': id })).headers.get('x-request-id')
    t.match(made, /^[0-9a-f]{10}-[0-9a-z]+$/, `in place of ${id.slice(0, 10)}`)
  }
  const raw = await RawSocket.open(port)
  const body = JSON.stringify({ apiKey: key, zipcode: '90210' })
  raw.send(
    `POST /api/lookup HTTP/1.1\r\nHost: a\r\nX-Request-Id: \r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  t.match(await raw.answer(), { status: 200 })
  raw.socket.destroy()
})

t.test('errors of every kind have the request id', async t => {
  const { baseUrl, errors, context } = await startApp(t)
  const id = { 'X-Request-Id': 'who' }
  const answers = [
    await asking(baseUrl, 'wrong')(id),
    await asking(baseUrl, '')(id),
    await asking(baseUrl, 'x')(id, '/nowhere'),
    await send(baseUrl, '/api/lookup', { method: 'POST', headers: id, body: 'x'.repeat(100_000) }),
    await send(baseUrl, '/api/lookup', { method: 'PUT', headers: id }),
  ]
  const statuses = answers.map(({ status }) => status)
  t.same(statuses, [401, 400, 404, 413, 405])
  for (const { headers, status } of answers) t.equal(headers.get('x-request-id'), 'who', String(status))
  Object.defineProperty(context, 'charging', { value: undefined })
  const failed = await asking(baseUrl, 'wrong')({})
  t.equal(failed.status, 500)
  t.match(failed.headers.get('x-request-id'), /^[0-9a-f]{10}-/, 'the log has the id even if nobody asked')
  t.equal(errors.length, 1)
})

t.test('settings add headers to every answer', async t => {
  const observers = { heads: new AnswerHeads(ANSWER_HEADERS) }
  const { baseUrl, key, context } = await startApp(t, undefined, { observers })
  const ask = asking(baseUrl, key)
  const ids = new Set<string | null>()
  for (const path of ['/api/lookup', '/api/metacode', '/api/aboutapi', '/api/balance', '/api/city']) {
    const { headers } = await ask({}, path)
    ids.add(headers.get('x-request-id'))
    t.equal(headers.get('x-index-build'), context.index.file.buildId)
  }
  t.equal(ids.size, 5, 'each has an id of its own')
  t.equal((await ask({ 'X-Request-Id': 'mine' })).headers.get('x-request-id'), 'mine')
})

t.test('an account with limits sees them in headers', async t => {
  const { baseUrl, accounts, openAccount } = await startApp(t)
  const { id, key } = await openAccount()
  const ask = asking(baseUrl, key)
  await accounts.setLimits(id, { perMinute: null, perHour: null, perDay: null })
  t.equal((await ask({})).headers.get('ratelimit'), null, 'no limit is set')
  await accounts.setLimits(id, { perMinute: null, perHour: 100, perDay: 3 })
  const before = await ask({})
  t.equal(before.headers.get('ratelimit-policy'), '"hour";q=100;w=3600, "day";q=3;w=86400')
  const left = /^"hour";r=(\d+);t=\d+, "day";r=(\d+);t=\d+$/.exec(before.headers.get('ratelimit') ?? '')
  t.ok(left !== null, before.headers.get('ratelimit') ?? 'none')
  let refused = await ask({})
  for (let i = 0; i < 4 && refused.status === 200; i++) refused = await ask({})
  t.equal(refused.status, 429)
  t.match(refused.headers.get('ratelimit'), /"day";r=0;t=\d+$/)
  t.ok(refused.headers.has('retry-after'))
  t.equal((await ask({}, '/api/balance')).headers.get('ratelimit'), null, 'a free request has no limit')
})

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
trace.setGlobalTracerProvider(provider)
propagation.setGlobalPropagator(new W3CTraceContextPropagator())

// `test/operate/otlp.test.ts` tests the content of spans.
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

import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { writeIndex } from '../support/fixture-index.ts'
import { listenUntilEnd } from '../support/listening.ts'
import { post, send } from '../support/post.ts'
import { commandIn, readyServer } from '../support/processes.ts'
import { until } from '../support/until.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const DOCUMENT = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8')
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
/** Number of records that needs a bulk worker. */
const RECORDS = 900

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number | string }
}
/** The tested part of `ExportTraceServiceRequest`. */
interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
}
interface Exported {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[]
}

t.test('a collector receives spans of requests with names and parents', async t => {
  const collector = await startCollector(t)
  const { api, key, stop } = await startTraced(t, collector.url)
  const apiKey = key
  const body = JSON.stringify({ apiKey, zipcode: '90210' })
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` }
  const answer = await send(api, '/api/lookup', { method: 'POST', headers, body })
  t.equal(answer.status, 200)
  t.match(answer.headers.get('x-request-id'), /^[0-9a-f]{10}-[0-9a-z]+$/, 'settings reach every thread')
  t.equal(answer.headers.get('x-index-build'), null)
  t.equal((await post(api, '/api/metacode', { apiKey: 'wrong', zipcode: '90210' })).status, 401)
  await post(api, '/api/city', { apiKey, city: 'Berlin', country: 'de' })
  const records = Array.from({ length: RECORDS }, () => ({ postalCode: '90210', countryCode: 'US' }))
  t.equal((await post(api, '/api/validate-bulk', { apiKey, records })).status, 200)
  const named = (name: string) => collector.spans.find(span => span.name === name)
  const wanted = ['POST /api/lookup', 'POST /api/metacode', 'POST /api/validate-bulk', 'POST /api/city']
  await until(() => wanted.every(name => named(name) !== undefined))

  t.same([...collector.services], ['postrie'])
  const lookup = named('POST /api/lookup')
  t.match(lookup, { traceId: TRACE, parentSpanId: PARENT, kind: 2 }, "the client's trace, as a server's span")
  t.equal(textOf(lookup, 'http.response.status_code'), '200')
  t.equal(textOf(lookup, 'postrie.country'), 'US')
  t.equal(textOf(named('POST /api/city'), 'postrie.country'), 'DE', 'of cold requests, too')
  t.equal(textOf(named('POST /api/validate-bulk'), 'postrie.country'), undefined)
  t.equal(textOf(named('POST /api/metacode'), 'http.response.status_code'), '401')
  // The digits of a time in nanoseconds may contain the code.
  t.notMatch(
    JSON.stringify(collector.spans.map(({ name, attributes }) => [name, attributes])),
    new RegExp(`90210|${key}`),
    'no span has a code or a key',
  )
  for (const { startTimeUnixNano, endTimeUnixNano } of collector.spans)
    t.ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano))
  t.equal(await stop(), 0, 'the exporter does not delay the end of the service')
})

async function startCollector(t: Test) {
  const spans: Span[] = []
  const services = new Set<string | undefined>()
  const server = createServer(async (request, response) => {
    const isTraces = request.url === '/v1/traces' && request.headers['content-type'] === 'application/json'
    const { resourceSpans } = (await json(request)) as Exported
    for (const { resource, scopeSpans } of resourceSpans) {
      const name = resource.attributes.find(({ key }) => key === 'service.name')
      services.add(name?.value.stringValue)
      spans.push(...scopeSpans.flatMap(scope => scope.spans))
    }
    response.writeHead(isTraces ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}')
  })
  return { url: `http://127.0.0.1:${await listenUntilEnd(t, server)}`, spans, services }
}

/** Starts the service as docs/operating.md says, but traces every request and sends spans at once. */
async function startTraced(t: Test, collector: string) {
  const folder = t.testdir({ data: {}, bin: {} })
  writeIndex(join(folder, 'data'))
  const [, file = ''] = /^```js\n(\/\/ otel\.mjs[\s\S]*?)^```/m.exec(DOCUMENT) ?? []
  const [, command = ''] = /`(NODE_OPTIONS=.*postrie serve)`/.exec(DOCUMENT) ?? []
  writeFileSync(
    join(folder, 'otel.mjs'),
    file.replace('{ exporter:', '{ scheduledDelayMillis: 100, exporter:'),
  )
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const path = commandIn(join(folder, 'bin'))
  // `exec` replaces the shell, so that signals reach the service.
  const traced = command.replace(/^(NODE_OPTIONS=".*") TRACE_SHARE=0\.01 /, 'export $1 TRACE_SHARE=1; exec ')
  const child = spawn('bash', ['-c', traced], {
    cwd: folder,
    env: {
      PATH: path,
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      CONTROL_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector,
      HTTP_THREADS: '2',
      ANSWER_HEADERS: 'request-id',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => void child.kill('SIGKILL'))
  return readyServer(child)
}

/** Returns an attribute as text. JSON has 64-bit numbers as either type. */
function textOf(span: Span | undefined, name: string): string | undefined {
  const value = span?.attributes.find(({ key }) => key === name)?.value
  return value?.stringValue ?? value?.intValue?.toString()
}

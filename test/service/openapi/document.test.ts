import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { ENDPOINT_LIST, pathsOf } from '../../../src/service/endpoints/table.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { answerSchema, checkAnswer, DOCUMENT, problemsAt, requestSchema } from '../../support/openapi.ts'
import { send } from '../../support/post.ts'
import { startServer } from '../../support/processes.ts'
import { RawSocket } from '../../support/raw-socket.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PATHS = ENDPOINT_LIST.flatMap(pathsOf)

interface Content {
  content: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>
}

const postOf = (path: string) =>
  DOCUMENT.paths[path].post as { requestBody: Content; responses: Record<string, Content> }

t.test('the document is valid OpenAPI 3.1', async t => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(DOCUMENT)))
  t.ok(valid, JSON.stringify(errors))
})

t.test('every answer and error has an example that fits its schema', async t => {
  for (const path of PATHS) {
    const { requestBody, responses } = postOf(path)
    t.same(problemsAt(requestSchema(path), requestBody.content['application/json'].example), [], path)
    for (const [status, { content }] of Object.entries(responses)) {
      const { example, examples = {} } = content['application/json']
      const values = example === undefined ? Object.values(examples).map(({ value }) => value) : [example]
      t.ok(values.length > 0, `${path} ${status}: there is an example`)
      for (const value of values)
        t.same(problemsAt(answerSchema(path, 'post', Number(status)), value), [], `${path} ${status}`)
      // The message of one case under another would mislead.
      t.equal(new Set(values.map(value => JSON.stringify(value))).size, values.length)
      const messages = values.map(value => (value as { message?: string }).message ?? '')
      t.notOk(
        messages.some(message => message.includes(`may be used for ${path.slice(5)} only`)),
        path,
      )
      if (values.length > 1 && Number(status) === 403) t.equal(new Set(messages).size, values.length)
    }
  }
})

t.test('a server serves the document on both planes', async t => {
  const server = await startServer(temporaryFolder(t), { INDEX_FILE: DEFAULT_INDEX })
  t.teardown(() => server.stop())
  const [data, control] = await Promise.all(
    [server.api, server.dashboard].map(plane => send(plane, '/openapi.json', {})),
  )
  t.same(data.json, JSON.parse(JSON.stringify(DOCUMENT)))
  t.same({ ...control.json, servers: [] }, { ...data.json, servers: [] }, 'both planes serve the same')
  t.same(control.json.servers, [{ url: server.api }], 'the control plane names the API')
  const fetched = async (headers: Record<string, string>) => {
    const socket = await RawSocket.open(Number(new URL(server.api).port))
    const lines = Object.entries({ Host: 'x', Connection: 'close', ...headers })
    socket.send(`GET /openapi.json HTTP/1.1\r\n${lines.map(each => `${each.join(': ')}\r\n`).join('')}\r\n`)
    const answer = await socket.closed()
    return { head: answer.slice(0, answer.indexOf('\r\n\r\n')), bytes: answer.length }
  }
  const plain = await fetched({})
  const packed = await fetched({ 'Accept-Encoding': 'br, gzip' })
  t.match(packed.head, /Content-Encoding: gzip/)
  t.ok(packed.bytes < plain.bytes / 5, `${packed.bytes} bytes instead of ${plain.bytes}`)
  t.equal((await fetched({ 'Accept-Encoding': 'gzip;q=0' })).bytes, plain.bytes)
  for (const [encoding, { head }] of [
    ['gzip', packed],
    ['identity', plain],
  ] as const) {
    const tag = /ETag: (.*)/.exec(head)?.[1].trim() ?? ''
    const again = await fetched({ 'Accept-Encoding': encoding, 'If-None-Match': `"x", W/${tag}` })
    t.match(again.head, /^HTTP\/1.1 304 Not Modified/)
    t.ok(again.bytes < 1000)
  }
  for (const path of ['/openapi.json', '/docs', '/coverage']) {
    const page = await fetch(server.dashboard + path)
    t.equal(page.headers.get('content-encoding'), 'gzip', path)
    const headers = { 'If-None-Match': page.headers.get('etag') ?? '' }
    t.equal((await fetch(server.dashboard + path, { headers })).status, 304, path)
  }
  for (const path of PATHS) {
    checkAnswer('GET', path, await send(server.api, path, {}))
    const hinted = await send(server.api, `${path}?zipcode=90210`, {})
    checkAnswer('GET', path, hinted)
    t.equal(hinted.json.status, 'warm')
    // The request that the message shows is answered.
    const [, shown, body] = /POST (\S+) .* body: (.*)$/.exec(hinted.json.message) ?? []
    const asked = { method: 'POST', body: body.replace('<API_KEY>', server.key) }
    t.equal((await send(server.api, shown, asked)).status, 200, path)
  }
})

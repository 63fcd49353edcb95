import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { ENDPOINT_LIST, pathsOf } from '../../../src/service/endpoints/table.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { answerSchema, checkAnswer, DOCUMENT, problemsAt, requestSchema } from '../../support/openapi.ts'
import { send } from '../../support/post.ts'
import { startServer } from '../../support/processes.ts'
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

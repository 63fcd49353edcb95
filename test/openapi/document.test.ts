/** The OpenAPI document: valid, complete, the same on both planes, and true of a running server. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { EXAMPLE_ENDINGS } from '../../src/endpoints/endings.ts'
import { ENDPOINT_LIST, pathsOf } from '../../src/endpoints/table.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { answerSchema, checkAnswer, DOCUMENT, problemsAt, requestSchema } from '../support/openapi.ts'
import { post, send } from '../support/post.ts'
import { startServer } from '../support/processes.ts'

const OPERATIONS = ENDPOINT_LIST.flatMap(endpoint =>
  pathsOf(endpoint).map(path => ({
    path,
    body: endpoint.example.body,
    answer: { ...endpoint.example.answer, ...EXAMPLE_ENDINGS[endpoint.ending] },
  })),
)
interface Content {
  content: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>
}

const postOf = (path: string) =>
  DOCUMENT.paths[path].post as { requestBody: Content; responses: Record<string, Content> }

t.test('it is a valid OpenAPI 3.1 document', async t => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(DOCUMENT)))
  t.ok(valid, JSON.stringify(errors))
})

t.test('every answer and error has an example, and examples are as the document says', async t => {
  for (const { path } of OPERATIONS) {
    const { requestBody, responses } = postOf(path)
    t.same(problemsAt(requestSchema(path), requestBody.content['application/json'].example), [], path)
    for (const [status, { content }] of Object.entries(responses)) {
      const { example, examples = {} } = content['application/json']
      const values = example === undefined ? Object.values(examples).map(({ value }) => value) : [example]
      t.ok(values.length > 0, `${path} ${status}: there is an example`)
      for (const value of values)
        t.same(problemsAt(answerSchema(path, 'post', Number(status)), value), [], `${path} ${status}`)
    }
  }
})

/** Names of fields, at every depth; the items of a list count once. */
function namesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(namesIn)
  if (typeof value !== 'object' || value === null) return ''
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, namesIn(field)]))
}

t.test('a server serves it on both planes, and answers the requests of its examples', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'postrie-'))
  const server = await startServer(folder, { INDEX_FILE: DEFAULT_INDEX })
  t.teardown(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  const [data, control] = await Promise.all(
    [server.api, server.dashboard].map(plane => send(plane, '/openapi.json', {})),
  )
  t.same(data.json, JSON.parse(JSON.stringify(DOCUMENT)))
  t.same({ ...control.json, servers: [] }, { ...data.json, servers: [] }, 'the same on both planes')
  t.same(control.json.servers, [{ url: server.api }], 'the control plane names the API')
  for (const { path, body, answer: example } of OPERATIONS) {
    const answer = await post(server.api, path, { ...body, apiKey: server.key })
    t.equal(answer.status, 200, path)
    checkAnswer('POST', path, answer)
    t.same(namesIn(answer.json), namesIn(example), `${path} has the fields of its example`)
    checkAnswer('GET', path, await send(server.api, path, {}))
  }
})

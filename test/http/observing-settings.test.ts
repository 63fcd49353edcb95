/** The settings for headers, log and traces reach every server thread of a real process. */
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { writeIndex } from '../support/fixture-index.ts'
import { send } from '../support/post.ts'
import { startServer } from '../support/processes.ts'
import { until } from '../support/until.ts'

const SDK = fileURLToPath(new URL('../support/preloaded-sdk.js', import.meta.url))
const TRACE = '0af7651916cd43dd8448eb211c80319c'

t.test('headers and traces by setting, with an SDK that is preloaded into two threads', async t => {
  const dir = t.testdir()
  writeIndex(dir)
  const server = await startServer(dir, {
    HTTP_THREADS: '2',
    ANSWER_HEADERS: 'request-id, Server-Timing',
    REQUEST_LOG_MB: '1',
    TRACE_SHARE: '0.000000001',
    NODE_OPTIONS: `--import ${SDK}`,
  })
  t.teardown(() => server.stop())
  const { headers, status } = await send(server.api, '/api/lookup', {
    method: 'POST',
    headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` },
    body: JSON.stringify({ apiKey: server.key, zipcode: '90210' }),
  })
  t.equal(status, 200)
  t.match(headers.get('x-request-id'), /^[0-9a-f]{10}-[0-9a-z]+$/)
  t.match(headers.get('server-timing'), /total;dur=/)
  t.equal(headers.get('x-index-build'), null)
  await until(() => server.output.stderr.includes(`span POST /api/lookup ${TRACE}`))
  t.equal(await server.stop(), 0)
})

t.test('wrong settings are named', async t => {
  const problem = (env: Record<string, string>) => startServer(t.testdir(), env).then(() => 'started', String)
  t.match(
    await problem({ ANSWER_HEADERS: 'request-id,x' }),
    /ANSWER_HEADERS: found 'x', expected names out of/,
  )
  t.match(await problem({ TRACE_SHARE: '1.5' }), /TRACE_SHARE: found '1.5', expected a number from 0 to 1/)
  t.match(await problem({ REQUEST_LOG_MB: '2000' }), /REQUEST_LOG_MB: found '2000'/)
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ENDPOINT_LABELS, REASONS, STATUSES } from '../../src/service/http/labels.ts'
import { pathOf, withoutTracing } from '../support/programs.ts'
import { RawSocket, rawPost } from '../support/raw-socket.ts'
import { startThreads } from '../support/threads.ts'
import { until } from '../support/until.ts'

const head = (method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n')
const { port, threads, accounts, openAccount } = await startThreads(t, 1)
const { key: apiKey, keyId } = await openAccount(100_000)
const lookup = rawPost('/api/lookup', JSON.stringify({ apiKey, zipcode: '90210' }))
const queries = () => (accounts.key(keyId)?.spentMicros ?? Number.NaN) / 28

const answered = () =>
  ENDPOINT_LABELS.flatMap((_, e) => STATUSES.map((_status, s) => threads.counts[0].answers(e, s))).reduce(
    (sum, count) => sum + count,
    0,
  )

/** Sends `count` requests in one piece, then one that closes the connection. Returns the number of answers. */
async function pipeline(request: string, count: number): Promise<number> {
  const raw = await RawSocket.open(port)
  raw.send(request.repeat(count) + head('GET', '/healthz', 'Connection: close'))
  return (await raw.closed()).split('HTTP/1.1 ').length - 1
}

for (const [name, request] of Object.entries({
  'warm requests': head('GET', '/api/x'),
  'unknown paths': head('GET', '/nope'),
  'other methods': head('PUT', '/api/lookup', 'Content-Length: 0'),
  preflights: head('OPTIONS', '/api/lookup'),
  'heads of documents': head('HEAD', '/openapi.json'),
  'requests without a key': rawPost('/api/lookup', '{}'),
  'encoded bodies': rawPost('/api/lookup', '{}', ['Content-Length: 2', 'Content-Encoding: gzip']),
  'small batches': rawPost('/api/validate-bulk', '{}'),
}))
  t.test(`a connection without a key cannot fill a turn with ${name}`, async t => {
    const count = 8000
    const before = answered()
    await pipeline(request, count)
    t.ok(answered() - before < count / 8, `${answered() - before} of ${count} were answered`)
  })

t.test('a client may pipeline 16 requests', async t => {
  for (let i = 0; i < 50; i++) t.equal(await pipeline(lookup, 15), 16)
})

t.test('a client may pipeline 16 requests beside others that pipeline without end', async t => {
  const floods = await Promise.all(Array.from({ length: 16 }, () => RawSocket.open(port, '127.0.0.2')))
  let isOver = false
  const flooding = floods.map(async first => {
    for (let raw = first; !isOver; raw = await RawSocket.open(port, '127.0.0.2')) {
      raw.send(head('GET', '/api/x').repeat(4000))
      await raw.closed()
    }
  })
  const answers: number[] = []
  for (let i = 0; i < 50; i++) answers.push(await pipeline(lookup, 15))
  isOver = true
  await Promise.all(flooding)
  t.same(answers, new Array(50).fill(16))
})

t.test('charged answers are sent before a connection that has pipelined too much is closed', async t => {
  const before = queries()
  const answers = await pipeline(lookup, 200)
  t.ok(answers < 200)
  await until(() => queries() - before >= answers)
  t.equal(queries() - before, answers)
  t.ok(threads.counts[0].refusals[REASONS.indexOf('pipelined')] > 0, 'the connection is counted')
})

t.test('each pipelined answer is sent with one system call', { skip: withoutTracing() }, async t => {
  const calls = join(t.testdir(), 'calls')
  const args = ['-f', '-e', 'trace=sendto', '-o', calls, '-p', String(process.pid)]
  const tracer = spawn(pathOf('strace'), args, { stdio: ['ignore', 'ignore', 'pipe'] })
  await once(tracer.stderr, 'data')
  const answers = await pipeline(lookup, 60)
  tracer.kill('SIGINT')
  await once(tracer, 'exit')
  t.equal(answers, 61)
  const sent = readFileSync(calls, 'utf8').split('sendto(').length - 1
  t.ok(sent > 0 && sent <= answers, `${sent} calls for ${answers} answers`)
})

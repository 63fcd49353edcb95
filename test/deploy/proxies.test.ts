/** Each proxy runs with its file of deploy/proxies before a real server. A proxy that is not installed is skipped. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { freePort } from '../../bench/service.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { listenUntilEnd } from '../support/listening.ts'
import { postrieJson, startServer, type TestServer } from '../support/processes.ts'
import { type Program, startProgram, without } from '../support/programs.ts'
import { until } from '../support/until.ts'

const PROXIES = fileURLToPath(new URL('../../../deploy/proxies/', import.meta.url))
/** Time after which uWebSockets.js closes an idle connection. */
const SERVER_KEEPS_MS = 10_000

interface Proxy {
  file: string
  command: Program
  args(path: string, dir: string): string[]
  /** Status of an HTTP/1.0 request. */
  oldClient: 200 | 505
  /** Possible statuses of a body over the limit. */
  tooLarge: readonly number[]
  /** True if the announced length alone is refused. */
  refusesEarly: boolean
}

const RUNNABLE: readonly Proxy[] = [
  {
    file: 'nginx.conf',
    command: 'nginx',
    args: (path, dir) => ['-c', path, '-p', dir, '-g', 'daemon off;'],
    oldClient: 200,
    tooLarge: [413],
    refusesEarly: true,
  },
  {
    file: 'haproxy.cfg',
    command: 'haproxy',
    args: path => ['-db', '-f', path],
    oldClient: 505,
    tooLarge: [413],
    refusesEarly: true,
  },
  {
    file: 'Caddyfile',
    command: 'caddy',
    args: path => ['run', '--adapter', 'caddyfile', '--config', path],
    oldClient: 200,
    // Caddy 2.6 answers a body over its own limit with a server error.
    tooLarge: [413, 502],
    refusesEarly: false,
  },
]

t.test('a proxy passes requests on and refuses a body that is too large', async t => {
  const dir = t.testdir()
  writeIndex(dir)
  const server = await startServer(dir, { TRUSTED_PROXIES: '127.0.0.1' })
  t.teardown(() => server.stop())
  await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  const { id, key: bound } = await postrieJson(dir, ['key', 'create', 'ada@example.com'])
  await postrieJson(dir, ['key', 'rules', id, '--addresses', '127.0.0.9'])
  for (const proxy of RUNNABLE) {
    await t.test(proxy.command, { skip: without(proxy.command) }, async t =>
      checkRequests(t, proxy, server, bound),
    )
  }
})

t.test('a proxy closes an idle connection before the server does', async t => {
  await Promise.all(
    RUNNABLE.map(proxy => {
      const options = { skip: without(proxy.command), buffered: true }
      return t.test(proxy.command, options, t => checkIdleClose(t, proxy))
    }),
  )
})

/** Sends one request through the proxy to a server with our idle time. */
async function checkIdleClose(t: Test, proxy: Proxy): Promise<void> {
  const server = createServer((_request, answer) => answer.end('{}'))
  server.keepAliveTimeout = SERVER_KEEPS_MS
  const apiPort = await listenUntilEnd(t, server)
  const port = await freePort()
  await start(t, proxy, port, String(apiPort))
  await waitForHealth(`http://127.0.0.1:${port}/readyz`)
  // The health checks of the proxy are GET requests on their own connections.
  const closed = new Promise<string>(resolve =>
    server.on('request', ({ method, socket }) => {
      if (method !== 'POST') return
      socket.once('timeout', () => resolve('the server')).once('close', () => resolve('the proxy'))
    }),
  )
  await fetch(`http://127.0.0.1:${port}/api/lookup`, { method: 'POST', body: '{}' })
  t.equal(await closed, 'the proxy')
}

/** @param bound a key that only 127.0.0.9 may use */
async function checkRequests(t: Test, proxy: Proxy, server: TestServer, bound: string): Promise<void> {
  const port = await freePort()
  await start(t, proxy, port, new URL(server.api).port)
  const url = `http://127.0.0.1:${port}`
  await waitForHealth(`${url}/readyz`)
  const lookup = (body: string) =>
    fetch(`${url}/api/lookup`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  const right = JSON.stringify({ apiKey: server.key, zipcode: '90210' })
  const answers = await Promise.all(Array.from({ length: 20 }, () => lookup(right)))
  t.same(
    answers.map(({ status }) => status),
    Array(20).fill(200),
  )
  t.match(await answers[0].json(), { ST: 'CA' })
  t.equal((await lookup(JSON.stringify({ apiKey: 'pk_live_none', zipcode: '90210' }))).status, 401)
  t.equal(await lookupFrom(port, '127.0.0.9', bound), 200, 'the rules of a key see the client')
  t.equal(await lookupFrom(port, '127.0.0.8', bound), 403)
  t.equal(await lookupFrom(port, '127.0.0.8', bound, '127.0.0.9'), 403, 'a forged header changes nothing')
  const large = JSON.stringify({ apiKey: 'x'.repeat(1_100_000) })
  const status = proxy.refusesEarly
    ? await statusOfAnnounced(port, large.length)
    : (await lookup(large)).status
  t.ok(proxy.tooLarge.includes(status), `${status} for a large body`)
  t.match(await sendHttp10(port), new RegExp(`^HTTP/1\\.[01] ${proxy.oldClient} `), 'an HTTP/1.0 client')
}

/** Returns the status of a request whose body stays unsent. An unread body could drop the answer. */
async function statusOfAnnounced(port: number, bytes: number): Promise<number> {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': bytes }
  const asked = request({ port, host: '127.0.0.1', path: '/api/lookup', method: 'POST', headers })
  asked.flushHeaders()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  asked.on('error', () => {}).destroy()
  return answer.statusCode ?? 0
}

/** Runs the proxy on its file, with free ports and the temporary files in the test's folder. */
async function start(t: Test, { file, command, args }: Proxy, port: number, apiPort: string): Promise<void> {
  const dir = t.testdir()
  const path = join(dir, file)
  const text = readFileSync(join(PROXIES, file), 'utf8')
  writeFileSync(
    path,
    text.replaceAll('8000', String(port)).replaceAll('8080', apiPort).replaceAll('/tmp/', `${dir}/`),
  )
  const home = { HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir }
  await startProgram(t, command, args(path, dir), port, home)
}

/** Resolves when `url` answers 200: the proxy has found the server healthy. */
function waitForHealth(url: string): Promise<void> {
  return until(async () => (await fetch(url).catch(() => null))?.status === 200)
}

async function lookupFrom(port: number, from: string, apiKey: string, forged?: string): Promise<number> {
  const headers = {
    'Content-Type': 'application/json',
    ...(forged !== undefined && { 'X-Forwarded-For': forged, Forwarded: `for=${forged}` }),
  }
  const options = {
    host: '127.0.0.1',
    port,
    localAddress: from,
    path: '/api/lookup',
    method: 'POST',
    headers,
  }
  const asked = request(options).end(JSON.stringify({ apiKey, zipcode: '90210' }))
  const [answer] = await once(asked, 'response')
  answer.resume()
  return answer.statusCode
}

async function sendHttp10(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /readyz HTTP/1.0\r\n\r\n')
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

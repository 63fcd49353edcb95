/** The files of deploy/proxies, each run by the proxy that it is for, in front of a real server. Left out where a proxy is not installed. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { writeIndex } from '../support/fixture-index.ts'
import { freePort } from '../support/free-port.ts'
import { listening } from '../support/listening.ts'
import { postrieJson, startServer, type TestServer } from '../support/processes.ts'
import { isInstalled, startProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

const PROXIES = fileURLToPath(new URL('../../../deploy/proxies/', import.meta.url))
/** Time after which uWebSockets.js closes an idle connection. */
const SERVER_KEEPS_MS = 10_000

interface Proxy {
  file: string
  command: string
  args(path: string, dir: string): string[]
  /** Status for a client that speaks HTTP/1.0. */
  oldClient: 200 | 505
  /** Statuses that a body beyond the bound may get. */
  tooLarge: readonly number[]
  /** True if it refuses such a body by its announced length alone. */
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
    // Version 2.6 reports its own bound as a fault of the server.
    tooLarge: [413, 502],
    refusesEarly: false,
  },
]

const skipOf = ({ command }: Proxy) => !isInstalled(command) && `${command} is not installed`

t.test('proxies pass requests on and refuse what is too large', async t => {
  const dir = t.testdir()
  writeIndex(dir)
  const server = await startServer(dir, { TRUSTED_PROXIES: '127.0.0.1' })
  t.teardown(() => server.stop())
  await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  const { id, key: bound } = await postrieJson(dir, ['key', 'create', 'ada@example.com'])
  await postrieJson(dir, ['key', 'rules', id, '--addresses', '127.0.0.9'])
  for (const proxy of RUNNABLE) {
    await t.test(proxy.command, { skip: skipOf(proxy) }, async t => behind(t, proxy, server, bound))
  }
})

t.test('a proxy closes an idle connection before the server does', async t => {
  await Promise.all(
    RUNNABLE.map(proxy => {
      const options = { skip: skipOf(proxy), buffered: true }
      return t.test(proxy.command, options, t => closesFirst(t, proxy))
    }),
  )
})

/** Asks once through the proxy, of a server that keeps its connections as long as ours does. */
async function closesFirst(t: Test, proxy: Proxy): Promise<void> {
  const server = createServer((_request, answer) => answer.end('{}'))
  server.keepAliveTimeout = SERVER_KEEPS_MS
  const apiPort = await listening(t, server)
  const port = await freePort()
  await start(t, proxy, port, String(apiPort))
  await answering(`http://127.0.0.1:${port}/readyz`)
  // The health checks of a proxy are GET and have connections of their own.
  const closed = new Promise<string>(resolve =>
    server.on('request', ({ method, socket }) => {
      if (method !== 'POST') return
      socket.once('timeout', () => resolve('the server')).once('close', () => resolve('the proxy'))
    }),
  )
  await fetch(`http://127.0.0.1:${port}/api/lookup`, { method: 'POST', body: '{}' })
  t.equal(await closed, 'the proxy')
}

/** @param bound a key for 127.0.0.9 alone */
async function behind(t: Test, proxy: Proxy, server: TestServer, bound: string): Promise<void> {
  const port = await freePort()
  await start(t, proxy, port, new URL(server.api).port)
  const url = `http://127.0.0.1:${port}`
  await answering(`${url}/readyz`)
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
  t.equal(await lookupFrom(port, '127.0.0.8', bound, '127.0.0.9'), 403, 'whatever the client writes itself')
  const large = JSON.stringify({ apiKey: 'x'.repeat(1_100_000) })
  const status = proxy.refusesEarly ? await announced(port, large.length) : (await lookup(large)).status
  t.ok(proxy.tooLarge.includes(status), `${status} for a large body`)
  t.match(await oldFashioned(port), new RegExp(`^HTTP/1\\.[01] ${proxy.oldClient} `), 'a client of HTTP/1.0')
}

/**
 * The status for a body of which only the length is sent: a proxy that refuses it closes the connection, and while the body is still on
 * its way the system may drop the answer.
 */
async function announced(port: number, bytes: number): Promise<number> {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': bytes }
  const asked = request({ port, host: '127.0.0.1', path: '/api/lookup', method: 'POST', headers })
  asked.flushHeaders()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  asked.on('error', () => {}).destroy()
  return answer.statusCode ?? 0
}

/** Runs the proxy on its file, with other ports and with its temporary files in the test's folder. */
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

/** Resolves when `url` is answered with 200: the proxy listens, and has found the server healthy. */
function answering(url: string): Promise<void> {
  return until(async () => (await fetch(url).catch(() => null))?.status === 200)
}

/** The status of a lookup whose connection comes from `from`. */
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

/** The whole answer to a request as old clients write it. */
async function oldFashioned(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /readyz HTTP/1.0\r\n\r\n')
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

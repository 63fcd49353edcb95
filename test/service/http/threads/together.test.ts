import uws from 'uWebSockets.js'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { tryPort } from '../../../../src/platform/server-address.ts'
import { TOTAL } from '../../../../src/service/http/counts.ts'
import { KEY_FAILURES_MAX } from '../../../../src/service/http/early-refusals.ts'
import { listen } from '../../../../src/service/http/routes.ts'
import { namedIndex } from '../../../support/fixture-index.ts'
import { waitForMonotonicMinute } from '../../../support/minute.ts'
import { post } from '../../../support/post.ts'
import { sendCopies, sendRequests, startThreads } from '../../../support/threads.ts'
import { until } from '../../../support/until.ts'

const THREADS = 4
const RELOADS = Number(process.env.RELOADS ?? 3)
/** Maximum time of a test's failed keys. */
const FAILURES_MS = 15_000

t.setTimeout(180_000 + RELOADS * 5000)

/** Opens a connection. Returns undefined if the server closes it at once. */
async function open(port: number): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  // `once(socket, …)` would throw when the server resets the connection.
  const isOpen = await new Promise(resolve =>
    socket.once('data', () => resolve(true)).once('close', () => resolve(false)),
  )
  return isOpen ? socket : undefined
}

t.test('four threads together accept only the allowed connections', async t => {
  const { port, threads } = await startThreads(t, THREADS, { connectionsMax: 20 })
  const sockets = await Promise.all(Array.from({ length: 80 }, () => open(port)))
  t.equal(sockets.filter(socket => socket !== undefined).length, 20)
  const { cells } = threads.sharedCounts
  t.equal(cells[TOTAL.refused], 60)
  for (const socket of sockets) socket?.destroy()
  await until(() => Atomics.load(cells, TOTAL.open) === 0)
  const again = await open(port)
  t.ok(again, 'there is room again')
  again?.destroy()
})

t.test('four threads together count the failed keys of a client', async t => {
  const { baseUrl, port, threads } = await startThreads(t, THREADS)
  const wrong = { apiKey: `pk_live_${'A'.repeat(36)}`, zipcode: '90210' }
  const request = { path: '/api/lookup', body: JSON.stringify(wrong) }
  await waitForMonotonicMinute(FAILURES_MS)
  const counts = await sendCopies(port, KEY_FAILURES_MAX, KEY_FAILURES_MAX, request)
  t.same(counts, { 401: KEY_FAILURES_MAX })
  const late = Array.from({ length: 8 }, () => post(baseUrl, '/api/lookup', wrong))
  await until(() => Atomics.load(threads.sharedCounts.cells, TOTAL.waitingKeys) === 8)
  for (const { status } of await Promise.all(late)) t.equal(status, 401)
  t.equal(Atomics.load(threads.sharedCounts.cells, TOTAL.waitingKeys), 0)
})

t.test('an index reaches every thread, and the old one is released after its last use', async t => {
  const folder = t.testdir({ next: {} })
  const path = namedIndex(folder, 'Name 0')
  const { port, served, openAccount, errors } = await startThreads(t, THREADS, { indexFile: path })
  const { key: apiKey } = await openAccount(10_000_000)
  const records = Array.from({ length: 1000 }, () => ({ postalCode: '90210', countryCode: 'US' }))
  const lookup = { path: '/api/lookup', body: JSON.stringify({ apiKey, zipcode: '90210' }) }
  const batch = { path: '/api/validate-bulk', body: JSON.stringify({ apiKey, records }) }
  let isReloading = true
  let sent = 0
  const wrong: unknown[] = []
  const load = sendRequests(
    port,
    24,
    () => (isReloading ? (++sent % 8 === 0 ? batch : lookup) : undefined),
    (request, answer) => {
      if (answer?.status !== 200) wrong.push(answer)
      else if (request === lookup && !/"city":"Name \d+"/.test(answer.body)) wrong.push(answer.body)
    },
  )
  for (let reload = 1; reload <= RELOADS; reload++) {
    const previous = served.index
    renameSync(namedIndex(join(folder, 'next'), `Name ${reload}`), path)
    await served.reload()
    t.equal(previous.trie.length, 0, 'the old index has been released')
    const names = new Set<string>()
    let left = 32
    await sendRequests(
      port,
      16,
      () => (left-- > 0 ? lookup : undefined),
      (_request, answer) => names.add(/"city":"(.*?)"/.exec(answer?.body ?? '')?.[1] ?? ''),
    )
    t.same([...names], [`Name ${reload}`])
  }
  isReloading = false
  await load
  t.same(wrong.slice(0, 3), [], `${sent} requests`)
  t.same(errors, [])
})

const HOST = '127.0.0.1'

/** Listens as uWebSockets.js does for threads: other servers may share the port. */
async function listenShared(port: number, host = HOST) {
  const app = uws.App()
  const socket = await listen(app, host, port, true)
  if (socket === false) throw new Error('it is taken')
  return { app, socket }
}

t.test('a port of another server is refused, even if its threads share it', async t => {
  const port = await tryPort(HOST, 0)
  const { app, socket } = await listenShared(port)
  const second = await listenShared(port)
  t.equal(uws.us_socket_local_port(second.socket), port, 'the kernel would allow it')
  for (const host of [HOST, '0.0.0.0'])
    await t.rejects(tryPort(host, port), { code: 'EADDRINUSE', syscall: 'listen' })
  for (const one of [{ app, socket }, second]) {
    uws.us_listen_socket_close(one.socket)
    one.app.close()
  }
  t.equal(await tryPort(HOST, port), port)
})

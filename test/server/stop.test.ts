import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { CLI, postrieJson, readyServer, startServer } from '../support/processes.ts'
import { RawSocket, rawPost } from '../support/raw-socket.ts'
import { until } from '../support/until.ts'

t.test('batches in progress are answered before the server stops', async t => {
  const folder = t.testdir()
  writeIndex(folder)
  const server = await startServer(folder, { HTTP_THREADS: '1', BULK_WORKERS: '1' })
  const record = { postalCode: '90210', countryCode: 'US' }
  const body = JSON.stringify({ apiKey: server.key, records: new Array(1000).fill(record) })
  await postrieJson(folder, ['account', 'credit', 'demo', '1', '--reference', 'stop'])
  const open = () => RawSocket.open(Number(new URL(server.api).port))
  const batches = await Promise.all(Array.from({ length: 20 }, open))
  for (const batch of batches) batch.send(rawPost('/api/validate-bulk', body))
  await until(() => batches.every(({ socket }) => socket.writableLength === 0))
  // The only thread reads in this order. Once it has answered this request, it has read all batches.
  await post(server.api, '/api/validate', { apiKey: server.key })
  const stopped = server.stop()
  for (const batch of batches) {
    t.match(await batch.answer(), { status: 200 })
    t.notMatch(await batch.closed(), /HTTP/)
  }
  t.equal(await stopped, 0)
})

t.test(
  'idle connections leave file descriptors to the ledger',
  { skip: process.platform !== 'linux' },
  async t => {
    const folder = t.testdir()
    writeIndex(folder)
    const child = spawn('sh', ['-c', `ulimit -n 200; exec "${process.execPath}" "${CLI}" serve`], {
      env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', CONTROL_PORT: '0', BULK_WORKERS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    const { api, key, stop } = await readyServer(child)
    const customer = await RawSocket.open(Number(new URL(api).port))
    const lookup = rawPost('/api/lookup', JSON.stringify({ apiKey: key, zipcode: '90210' }))
    customer.send(lookup)
    t.match(await customer.answer(), { status: 200 })
    const sockets = await Promise.all(Array.from({ length: 300 }, () => idle(Number(new URL(api).port))))
    t.ok(sockets.filter(isOpen => isOpen.destroyed).length >= 200, 'most are closed at once')
    // The ledger opens files for this. The customer's own connection stays open.
    customer.send(lookup)
    t.match(await customer.answer(), { status: 200 })
    for (const socket of sockets) socket.destroy()
    t.equal(await stop(), 0, 'it stops with a snapshot')
  },
)

/** Opens a silent connection and waits until the server has had time to close it. */
async function idle(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  // `once(socket, …)` would throw when the server resets the connection.
  await new Promise(resolve => socket.once('data', resolve).once('close', resolve))
  return socket
}

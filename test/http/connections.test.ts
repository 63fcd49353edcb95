/** Connections are bounded, below the limit of file descriptors. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { CELL, newCounts } from '../../src/http/counts.ts'
import { connectionsMaxOf, descriptorLimit } from '../../src/http/start-data-plane.ts'
import { startApp } from '../support/app.ts'
import { post } from '../support/post.ts'
import { until } from '../support/until.ts'

/** Opens a connection. @returns the socket, or undefined when the server closed it again */
async function open(port: number): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  await once(socket, 'connect')
  const closed = once(socket, 'close').then(() => false)
  // An answer proves that it was accepted.
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  const isOpen = await Promise.race([once(socket, 'data').then(() => true), closed])
  return isOpen ? socket : undefined
}

t.test('idle connections cannot use up the file descriptors', async t => {
  const counts = newCounts()
  const app = await startApp(t, undefined, { counts, connectionsMax: 20 })
  const sockets = await Promise.all(Array.from({ length: 30 }, () => open(app.port)))
  t.equal(sockets.filter(socket => socket !== undefined).length, 20)
  t.equal(counts.shared.load(CELL.refused), 10)
  for (const socket of sockets) socket?.destroy()
  await until(() => counts.shared.load(CELL.open) === 0)
  const { status } = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
  t.equal(status, 200, 'and then there is room again')
})

t.test('the bound leaves descriptors to the ledger', async t => {
  t.equal(connectionsMaxOf(20_000), 19_488)
  t.equal(connectionsMaxOf(256), 128)
  t.equal(connectionsMaxOf(Number.POSITIVE_INFINITY), 50_000)
  t.ok(descriptorLimit() > 0)
  t.equal(descriptorLimit('/nowhere'), Number.POSITIVE_INFINITY)
})

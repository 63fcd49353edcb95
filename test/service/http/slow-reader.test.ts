import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { startApp } from '../../support/app.ts'
import { RawSocket, rawPost } from '../../support/raw-socket.ts'

const record = { postalCode: '90210', countryCode: 'US' }

t.test('a client that reads nothing holds only one large answer in memory', async t => {
  const app = await startApp(t)
  const { id } = app.accounts.listAccounts()[0]
  await app.accounts.credit({ account: id, micros: 1_000_000_000, reference: 'test', kind: 'test' })
  const batch = rawPost(
    '/api/validate-bulk',
    JSON.stringify({ apiKey: app.key, records: new Array(300).fill(record) }),
  )
  const socket = connect({ port: app.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  // Node.js reads ahead only up to its high-water mark.
  socket.pause()
  await once(socket, 'connect')
  // `once` would reject when the server resets the connection.
  const closed = new Promise(resolve => socket.on('close', resolve))
  const count = 2000
  for (let i = 0; i < count; i++) socket.write(batch)
  await closed
  const batches = app.spentMicros() / 300 / 28
  t.ok(batches > 0 && batches < count, `${batches} of ${count} batches were executed`)
})

t.test('a large answer arrives complete at a slow reader', async t => {
  const app = await startApp(t)
  const { id } = app.accounts.listAccounts()[0]
  await app.accounts.credit({ account: id, micros: 1_000_000_000, reference: 'test', kind: 'test' })
  // The answer is larger than the socket buffers of both sides together.
  const codes = Array.from({ length: 1000 }, () => ({ postalCode: 'x'.repeat(900), countryCode: 'US' }))
  const body = JSON.stringify({ apiKey: app.key, records: codes })
  const sockets = await Promise.all([1, 2, 3, 4].map(() => RawSocket.open(app.port)))
  for (const raw of sockets) {
    raw.socket.pause()
    raw.send(rawPost('/api/validate-bulk', body))
  }
  await app.parts.replies.finished()
  for (const raw of sockets) {
    raw.socket.resume()
    const answer = await raw.answer()
    t.equal(answer?.status, 200)
    t.equal(JSON.parse(answer?.body ?? '{}').results.length, 1000)
    raw.socket.destroy()
  }
})

import uws from 'uWebSockets.js'
import t from 'tap'
import { tryPort } from '../../../../src/platform/server-address.ts'
import { listen } from '../../../../src/service/http/routes.ts'

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

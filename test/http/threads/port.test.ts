/** Two servers never share a port, although the threads of one do. */
import uws from 'uWebSockets.js'
import t from 'tap'
import { listen } from '../../../src/http/threads/listen.ts'
import { tryPort } from '../../../src/platform/try-port.ts'

const HOST = '127.0.0.1'

/** A server as uWebSockets.js makes it for threads: others may listen on its port as well. */
async function sharing(port: number, host = HOST) {
  const app = uws.App()
  const socket = await listen(app, host, port, true)
  if (socket === false) throw new Error('it is taken')
  return { app, socket }
}

t.test('a port that the threads of another server share is taken', async t => {
  const port = await tryPort(HOST, 0)
  const { app, socket } = await sharing(port)
  const second = await sharing(port)
  t.equal(uws.us_socket_local_port(second.socket), port, 'the kernel would allow it')
  for (const host of [HOST, '0.0.0.0'])
    await t.rejects(tryPort(host, port), { code: 'EADDRINUSE', syscall: 'listen' })
  for (const one of [{ app, socket }, second]) {
    uws.us_listen_socket_close(one.socket)
    one.app.close()
  }
  t.equal(await tryPort(HOST, port), port)
})

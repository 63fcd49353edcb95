/** Two servers never share a port, although the threads of one do. */
import uws from 'uWebSockets.js'
import t from 'tap'
import { listen, portOf, stopListening } from '../../../src/http/threads/listen.ts'
import { expectFreePort, freePort } from '../../../src/http/threads/port.ts'

const HOST = '127.0.0.1'

/** A server as uWebSockets.js makes it for threads: others may listen on its port as well. */
async function sharing(port: number, host = HOST) {
  const app = uws.App()
  return { app, socket: await listen(app, host, port, true) }
}

t.test('a port that the threads of another server share is taken', async t => {
  const port = await freePort(HOST)
  const { app, socket } = await sharing(port)
  const second = await sharing(port)
  t.equal(portOf(second.socket), port, 'the kernel would allow it')
  for (const host of [HOST, '0.0.0.0'])
    await t.rejects(
      expectFreePort(host, port),
      new RegExp(
        `cannot listen on ${host}:${port}: it is taken or not an address of this machine; set HOST or PORT`,
      ),
    )
  for (const one of [{ app, socket }, second]) {
    stopListening(one.socket)
    one.app.close()
  }
  await expectFreePort(HOST, port)
})

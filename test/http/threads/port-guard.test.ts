/** Two servers never share a port, although the threads of one do. */
import uws from 'uWebSockets.js'
import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { listen, portOf, stopListening } from '../../../src/http/threads/listen.ts'
import { freePort, guardName, whilePortIsFree } from '../../../src/http/threads/port-guard.ts'

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
      whilePortIsFree(host, port, async () => t.fail('it has begun to listen')),
      new RegExp(
        `cannot listen on ${host}:${port}: it is taken or not an address of this machine; set HOST or PORT`,
      ),
    )
  for (const one of [{ app, socket }, second]) {
    stopListening(one.socket)
    one.app.close()
  }
  t.equal(await whilePortIsFree(HOST, port, async () => 'free'), 'free')
})

t.test('a port that any program listens on is taken', async t => {
  const server = createServer()
  await once(server.listen(0, HOST), 'listening')
  const { port } = server.address() as { port: number }
  await t.rejects(
    whilePortIsFree(HOST, port, async () => {}),
    /it is taken/,
  )
  server.close()
})

t.test('servers that start at the same time listen one after the other', async t => {
  const port = await freePort(HOST)
  let listening = 0
  let started = 0
  const start = () =>
    whilePortIsFree(HOST, port, async () => {
      t.equal(++listening, 1)
      await new Promise(resolve => setImmediate(resolve))
      listening--
      started++
    })
  await Promise.all([start(), start(), start()])
  t.equal(started, 3)
})

t.test('the guard of a port was one name for all users, and nothing said who held it', async t => {
  const port = await freePort(HOST)
  const otherUser = createServer()
  await once(otherUser.listen({ path: `\0postrie/begins-to-listen/${port}` }), 'listening')
  t.equal(await whilePortIsFree(HOST, port, async () => 'free', 0), 'free')
  otherUser.close()
  const holder = createServer()
  await once(holder.listen({ path: `\0${guardName(port)}` }), 'listening')
  await t.rejects(
    whilePortIsFree(HOST, port, async () => {}, 0),
    new RegExp(`@${guardName(port)}, .* by process ${process.pid} \\(.+\\)\\. End that process, or set PORT`),
  )
  holder.close()
})

t.test('an address of another machine is refused', async t => {
  await t.rejects(
    whilePortIsFree('192.0.2.1', await freePort(HOST), async () => {}),
    /not an address of this machine/,
  )
})

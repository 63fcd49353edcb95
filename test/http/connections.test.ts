/** Connections are bounded in all and by address, below the limit of file descriptors. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { takeCensus } from '../../src/http/census.ts'
import { type Census, Connections, connectionBounds, descriptorLimit } from '../../src/http/connections.ts'
import { ProcessCounts } from '../../src/http/shared/process-counts.ts'
import { startApp } from '../support/app.ts'
import { post } from '../support/post.ts'
import { until } from '../support/until.ts'

/** Opens a connection from `localAddress`. @returns the socket, or undefined when the server closed it again */
async function open(port: number, localAddress: string): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  await once(socket, 'connect')
  const closed = once(socket, 'close').then(() => false)
  // An answer proves that it was accepted.
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  const isOpen = await Promise.race([once(socket, 'data').then(() => true), closed])
  return isOpen ? socket : undefined
}

t.test('idle connections cannot use up the file descriptors', async t => {
  const connections = new Connections({ max: 20, perAddressMax: 20 }, async () => null)
  const app = await startApp(t, undefined, { connections })
  const sockets = await Promise.all(Array.from({ length: 30 }, () => open(app.port, '127.0.0.1')))
  t.equal(sockets.filter(socket => socket !== undefined).length, 20)
  t.equal(connections.refused, 10)
  for (const socket of sockets) socket?.destroy()
  await until(() => connections.open === 0)
  const { status } = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
  t.equal(status, 200, 'and then there is room again')
})

const hasTables = process.platform === 'linux'

t.test('one address cannot hold all connections', { skip: !hasTables }, async t => {
  let port = 0
  let censuses = 0
  const census: Census = async () => {
    const counts = await takeCensus(port)
    censuses++
    return counts
  }
  const connections = new Connections({ max: 40, perAddressMax: 20 }, census)
  const app = await startApp(t, undefined, { connections })
  port = app.port
  const greedy: (Socket | undefined)[] = []
  for (let i = 0; i < 21; i++) greedy.push(await open(port, '127.0.0.2'))
  // The 21st asks for a census.
  await until(() => censuses > 0)
  t.equal(await open(port, '127.0.0.2'), undefined, 'the greedy one is refused')
  const other = await open(port, '127.0.0.3')
  t.ok(other, 'and others are not')
  for (const socket of greedy.slice(0, 10)) socket?.destroy()
  await until(() => connections.open <= 12)
  const again = await open(port, '127.0.0.2')
  t.ok(again, 'there is room again')
  for (const socket of [...greedy, other, again]) socket?.destroy()
})

t.test('an honest address was refused for connections that it had closed', { skip: !hasTables }, async t => {
  let port = 0
  const connections = new Connections({ max: 40, perAddressMax: 20 }, () => takeCensus(port))
  const app = await startApp(t, undefined, { connections })
  port = app.port
  const greedy = await Promise.all(Array.from({ length: 20 }, () => open(port, '127.0.0.2')))
  for (let i = 0; i < 100; i++) {
    const honest = await open(port, '127.0.0.3')
    t.ok(honest, `connection ${i}, the only one of its address`)
    honest?.destroy()
    await until(() => connections.open === greedy.length)
  }
  t.equal(connections.refused, 0)
  for (const socket of greedy) socket?.destroy()
})

t.test('a burst over several threads could take twice the share before the first census ended', async t => {
  for (const threads of [1, 4]) {
    let end = (_: Map<string, number>): void => {}
    const census = () => new Promise<Map<string, number>>(resolve => (end = resolve))
    const counts = new ProcessCounts()
    const bounds = { max: 1000, perAddressMax: 100 }
    const all = Array.from({ length: threads }, () => new Connections(bounds, census, counts))
    const burst = () => {
      let accepted = 0
      for (let i = 0; i < 500; i++) {
        const connections = all[i % threads]
        if (connections.opened(() => '7f000002')) accepted++
        else connections.closed()
      }
      return accepted
    }
    t.equal(burst(), 100, `${threads} threads accept just the share of the address`)
    t.ok(
      all[0].opened(() => '7f000003'),
      'another one is accepted',
    )
    end(new Map([['7f000002', 60]]))
    await new Promise(resolve => setImmediate(resolve))
    t.equal(burst(), 0, 'nor does a census that has missed some of the burst make room')
  }
})

t.test('a census that ran while a pool opened its connections counted them twice', async t => {
  let end = (_: Map<string, number>): void => {}
  const census = () => new Promise<Map<string, number>>(resolve => (end = resolve))
  const connections = new Connections({ max: 100, perAddressMax: 20 }, census)
  for (let i = 0; i < 15; i++) t.ok(connections.opened(() => '7f000002'))
  end(new Map([['7f000002', 15]]))
  await new Promise(resolve => setImmediate(resolve))
  for (let i = 0; i < 5; i++)
    t.ok(
      connections.opened(() => '7f000002'),
      'it may open the rest of its share',
    )
  t.notOk(connections.opened(() => '7f000002'))
})

t.test('refused connections earn their address nothing', async t => {
  const connections = new Connections({ max: 100, perAddressMax: 20 }, async () => new Map())
  for (let i = 0; i < 20; i++) t.ok(connections.opened(() => '7f000002'))
  let accepted = 0
  for (let i = 0; i < 200; i++) {
    if (connections.opened(() => '7f000003')) accepted++
    else connections.closed()
  }
  t.equal(accepted, 20)
  t.equal(connections.open, 40)
})

t.test('without a census, nobody is refused for what others or it itself have closed', async t => {
  const connections = new Connections({ max: 100, perAddressMax: 20 }, async () => null)
  for (let i = 0; i < 20; i++) t.ok(connections.opened(() => '7f000002'))
  for (let i = 0; i < 1000; i++) {
    connections.opened(() => '7f000003')
    connections.closed()
  }
  t.equal(connections.refused, 0)
})

t.test('a census counts whom the kernel knows', { skip: !hasTables }, async t => {
  const app = await startApp(t)
  const sockets = await Promise.all(
    ['127.0.0.2', '127.0.0.2', '127.0.0.3'].map(address => open(app.port, address)),
  )
  const census = await takeCensus(app.port)
  t.equal(census?.get('7f000002'), 2)
  t.equal(census?.get('7f000003'), 1)
  for (const socket of sockets) socket?.destroy()
})

t.test('the bounds leave descriptors to the ledger', async t => {
  t.same(connectionBounds(20_000), { max: 19_488, perAddressMax: 9744 })
  t.same(connectionBounds(256), { max: 128, perAddressMax: 64 })
  t.same(connectionBounds(Number.POSITIVE_INFINITY), { max: 50_000, perAddressMax: 25_000 })
  t.same(connectionBounds(1024, 900), { max: 512, perAddressMax: 512 })
  t.ok(descriptorLimit() > 0)
  t.equal(descriptorLimit('/nowhere'), Number.POSITIVE_INFINITY)
})

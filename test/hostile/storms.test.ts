import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { seededRandom } from '../support/random.ts'
import { RawSocket, rawPost } from '../support/raw-socket.ts'
import { checkStats, ROUNDS, startTarget, type Target } from './target.ts'

t.setTimeout(1_800_000)

const ABORTS = 250 * ROUNDS
const AT_A_TIME = 50

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  // The server may close first.
  socket.on('error', () => {})
  return socket
}

async function sendLookup(target: Target): Promise<number | undefined> {
  const raw = await RawSocket.open(target.port)
  raw.send(target.lookup())
  const answer = await raw.answer()
  raw.socket.destroy()
  return answer?.status
}

const batchOf = (key: string, count: number) =>
  rawPost(
    '/api/validate-bulk',
    JSON.stringify({
      apiKey: key,
      records: new Array(count).fill({ postalCode: '90210', countryCode: 'US' }),
    }),
  )

t.test(`${ABORTS} clients that disconnect at any byte harm nobody`, async t => {
  const target = await startTarget(t)
  const random = seededRandom(7)
  const requests = [target.lookup(), batchOf(target.key, 20), batchOf(target.key, 600)]
  const prices = [1, 20, 600]
  let most = 0
  let done = 0
  const client = async (): Promise<void> => {
    while (done++ < ABORTS) {
      const which = random(20) === 0 ? 2 : random(2)
      const request = requests[which]
      // A whole request may be charged.
      const end = random(3) === 0 ? request.length : random(request.length)
      if (end === request.length) most += prices[which]
      const socket = await open(target.port)
      const closed = new Promise(resolve => socket.on('close', resolve))
      socket.write(request.slice(0, end), () =>
        random(2) === 0 ? socket.resetAndDestroy() : socket.destroy(),
      )
      await closed
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, client))
  t.equal(await sendLookup(target), 200, 'the next request is answered')
  const stats = await checkStats(t, target)
  const charged = stats.spentMicros / QUERY_PRICE_MICROS
  t.ok(charged >= 1 && charged <= most + 1, `${charged} of ${most} complete queries were charged`)
})

t.test('slow readers and slow writers do not block others', async t => {
  const target = await startTarget(t)
  const readers = await Promise.all(Array.from({ length: 50 }, () => open(target.port)))
  for (const reader of readers) {
    reader.pause()
    for (let i = 0; i < 20; i++) reader.write(batchOf(target.key, 150))
  }
  const writers = await Promise.all(Array.from({ length: 200 }, () => open(target.port)))
  const request = target.lookup()
  const first = request.indexOf('\r\n') + 2
  const answers = writers.map(writer => once(writer, 'data').then(([chunk]) => String(chunk)))
  for (const writer of writers) writer.write(request.slice(0, first))
  for (let at = first; at < request.length; at++) {
    for (const writer of writers) writer.write(request[at])
    if (at % 10 === 0) t.equal(await sendLookup(target), 200)
    else await new Promise(resolve => setImmediate(resolve))
  }
  const received = await Promise.all(answers)
  t.ok(
    received.every(answer => answer.includes(' 200 OK')),
    'every slow writer got an answer',
  )
  for (const socket of [...readers, ...writers]) socket.destroy()
  await checkStats(t, target)
})

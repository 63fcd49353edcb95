import t from 'tap'
import { bodyBounds } from '../../../src/service/http/body.ts'
import { GAUGE } from '../../../src/service/http/counts.ts'
import { BULK_BODY_BYTES_MAX } from '../../../src/service/workers/record-writer.ts'
import { newCounts, startApp } from '../../support/app.ts'
import { RawSocket, rawPost } from '../../support/raw-socket.ts'
import { until } from '../../support/until.ts'

const app = await startApp(t)
const CHUNKED = ['Transfer-Encoding: chunked']
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const end = '0\r\n\r\n'
const body = JSON.stringify({ apiKey: app.key, zipcode: '90210' })
const tooLarge = { status: 413, body: '{"error":"Request body too large"}' }

const padded = (bytes: number) => `${body.slice(0, -1).padEnd(bytes - 1)}}`

async function answerTo(path: string, chunks: readonly string[], port = app.port) {
  const raw = await RawSocket.open(port)
  raw.send(rawPost(path, '', CHUNKED) + chunks.join(''))
  const answer = await raw.answer()
  return { raw, answer }
}

t.test('a body in a million chunks is refused after a thousand chunks', async t => {
  const spent = app.spentMicros()
  const { raw, answer } = await answerTo('/api/validate-bulk', [chunk(' ').repeat(1_000_000)])
  // Closing with unread chunks resets the connection. The reset may overtake the answer.
  if (answer !== undefined) {
    t.equal(answer.status, 413)
    t.equal(answer.body.trim(), tooLarge.body)
  }
  await raw.closed()
  t.equal(app.spentMicros(), spent)
})

t.test('a thousand pieces may have any size', async t => {
  const chunks = Array.from(padded(1000), chunk)
  const { raw, answer } = await answerTo('/api/lookup', [...chunks, end])
  t.match(answer, { status: 200, body: /Beverly Hills/ })
  raw.socket.destroy()
})

t.test('further pieces must have 64 bytes on average, except the last one', async t => {
  const inPieces = (bytes: number) => {
    const text = padded(1000 + 100 * bytes)
    const large = Array.from({ length: 100 }, (_, i) =>
      chunk(text.slice(1000 + i * bytes, 1000 + (i + 1) * bytes)),
    )
    return [...Array.from(text.slice(0, 1000), chunk), ...large]
  }
  const short = padded(1000 + 100 * 64 + 1)
  const accepted = await answerTo('/api/lookup', [...inPieces(64), end])
  t.match(accepted.answer, { status: 200 })
  const withRest = [...Array.from(short.slice(0, 1000), chunk)]
  for (let at = 1000; at < short.length; at += 64) withRest.push(chunk(short.slice(at, at + 64)))
  const accepted2 = await answerTo('/api/lookup', [...withRest, end])
  t.match(accepted2.answer, { status: 200 }, 'the last piece may be short')
  const refused = await answerTo('/api/lookup', [...inPieces(60), end])
  t.equal(refused.answer?.status, 413)
  await refused.raw.closed()
  accepted.raw.socket.destroy()
  accepted2.raw.socket.destroy()
})

t.test('unfinished bodies beyond the memory limit end the oldest request', async t => {
  const bytesMax = 4 * BULK_BODY_BYTES_MAX
  const counts = newCounts()
  const bounds = { ...bodyBounds(1), bytesMax, bodyMs: 60_000 }
  const bounded = await startApp(t, undefined, { counts, bodyBounds: bounds })
  const bodies = counts.thread
  const open: RawSocket[] = []
  let answers = 0
  for (let i = 0; i < 12; i++) {
    const raw = await RawSocket.open(bounded.port)
    open.push(raw)
    raw.send(rawPost('/api/validate-bulk', ' '.repeat(700_000), ['Content-Length: 900000']))
    if (i < 4) await until(() => bodies.gauges[GAUGE.heldBytes] === (i + 1) * BULK_BODY_BYTES_MAX)
    else {
      t.match(await open[i - 4].answer(), { status: 503 }, `the oldest, ${i - 4}`)
      await open[i - 4].closed()
      answers++
    }
    t.ok(bodies.gauges[GAUGE.heldBytes] <= bytesMax)
  }
  t.equal(answers, 8)
  const honest = await RawSocket.open(bounded.port)
  const lookup = rawPost('/api/lookup', JSON.stringify({ apiKey: bounded.key, zipcode: '90210' }))
  honest.send(lookup.slice(0, -9))
  await new Promise(resolve => setImmediate(resolve))
  honest.send(lookup.slice(-9))
  t.match(await honest.answer(), { status: 200 }, 'a body that arrives is read')
  honest.socket.destroy()
  for (const raw of open) raw.socket.destroy()
  await until(() => bodies.gauges[GAUGE.heldBytes] === 0)
})

t.test('a connection that sends too slowly is closed', async t => {
  const counts = newCounts()
  const bounded = await startApp(t, undefined, {
    counts,
    bodyBounds: { ...bodyBounds(1), bytesMax: 1 << 20, bodyMs: 200 },
  })
  const raw = await RawSocket.open(bounded.port)
  raw.send(rawPost('/api/lookup', '{', ['Content-Length: 10000']))
  const writing = setInterval(() => raw.send(' '), 20)
  t.equal(await raw.closed(), '', 'the client keeps writing')
  clearInterval(writing)
  t.equal(counts.thread.gauges[GAUGE.heldBytes], 0)
})

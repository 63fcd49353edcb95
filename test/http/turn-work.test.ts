/** What one turn of the event loop may answer: further batches and searches wait for a later turn, or are refused. */
import t, { type Test } from 'tap'
import { boundReceiving } from '../../src/http/threads/receive-bound.ts'
import { QUERY_PRICE_MICROS, RECEIVED_BYTES_MAX } from '../../src/limits.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { RawSocket, rawChunked, rawPost } from '../support/raw-socket.ts'

const RECORDS = 20

/** An app in which the first batch of a turn uses its time up. */
function startBusyApp(t: Test): Promise<TestApp> {
  return startApp(t, undefined, { turnMs: 0 })
}

const record = { postalCode: '90210', countryCode: 'US' }
const batch = ({ key }: TestApp, path = '/api/validate-bulk') =>
  rawPost(path, JSON.stringify({ apiKey: key, records: new Array(RECORDS).fill(record) }))
const lookup = ({ key }: TestApp) => rawPost('/api/lookup', JSON.stringify({ apiKey: key, zipcode: '90210' }))
const search = ({ key }: TestApp) =>
  rawPost('/api/city', JSON.stringify({ apiKey: key, city: 'Beverly Hills', ST: 'CA' }))
const spentQueries = (app: TestApp) => app.spentMicros() / QUERY_PRICE_MICROS

/** The most queries that were charged in one turn until the next call. */
function watchTurns(app: TestApp): () => number {
  let most = 0
  let before = spentQueries(app)
  let isOver = false
  const turn = () => {
    const now = spentQueries(app)
    most = Math.max(most, now - before)
    before = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    isOver = true
    return most
  }
}

async function answersOf(raw: RawSocket, count: number): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < count) {
    const answer = await raw.answer()
    if (answer === undefined) break
    statuses.push(answer.status)
  }
  return statuses
}

t.test('all batches that one connection pipelined were answered in one turn', async t => {
  const app = await startBusyApp(t)
  for (const path of ['/api/validate-bulk', '/api/lookup-bulk']) {
    const before = spentQueries(app)
    const most = watchTurns(app)
    const raw = await RawSocket.open(app.port)
    raw.send(batch(app, path).repeat(12))
    const statuses = await answersOf(raw, 12)
    const [first, ...others] = statuses
    t.equal(first, 200)
    t.same(others, new Array(11).fill(503), 'those that the turn has no time for are refused')
    t.equal(most(), RECORDS, 'one of them in one turn')
    t.equal(spentQueries(app) - before, RECORDS, 'and they are not charged')
    raw.send(batch(app, path))
    t.same(await answersOf(raw, 1), [200], 'the connection goes on')
    raw.socket.destroy()
  }
})

t.test('a refused one says when to come back', async t => {
  const app = await startBusyApp(t)
  const raw = await RawSocket.open(app.port)
  raw.send(batch(app).repeat(2))
  t.equal((await raw.answer())?.status, 200)
  t.match(await raw.answer(), { status: 503, headers: { 'retry-after': '1' } })
  raw.socket.destroy()
})

t.test('many connections with one batch each are all answered, one in each turn', async t => {
  const app = await startBusyApp(t)
  const all = await Promise.all(Array.from({ length: 30 }, () => RawSocket.open(app.port)))
  const most = watchTurns(app)
  for (const raw of all) raw.send(batch(app))
  for (const raw of all) t.same(await answersOf(raw, 1), [200])
  // The turn in which the first came had time for it, and one of those that wait has its turn in any case.
  t.ok(most() <= 2 * RECORDS, `at most ${most()} queries in one turn`)
  t.equal(spentQueries(app), 30 * RECORDS)
  for (const raw of all) raw.socket.destroy()
})

t.test('searches wait as well', async t => {
  const app = await startBusyApp(t)
  const all = await Promise.all(Array.from({ length: 20 }, () => RawSocket.open(app.port)))
  for (const raw of all) raw.send(search(app))
  for (const raw of all) t.same(await answersOf(raw, 1), [200])
  t.equal(spentQueries(app), 20)
  for (const raw of all) raw.socket.destroy()
})

t.test('look-ups of clients that pipeline them are answered, whatever else a turn has had', async t => {
  const app = await startBusyApp(t)
  const batches = await Promise.all(Array.from({ length: 10 }, () => RawSocket.open(app.port)))
  const clients = await Promise.all(Array.from({ length: 10 }, () => RawSocket.open(app.port)))
  for (let round = 0; round < 5; round++) {
    for (const raw of batches) raw.send(batch(app))
    for (const raw of clients) raw.send(lookup(app).repeat(16))
    for (const raw of clients) t.same(await answersOf(raw, 16), new Array(16).fill(200))
    for (const raw of batches) t.same(await answersOf(raw, 1), [200])
    const { id } = app.accounts.listAccounts()[0]
    await app.accounts.credit({ account: id, micros: 5_000_000, reference: `${round}`, kind: 'test' })
  }
  for (const raw of [...batches, ...clients]) raw.socket.destroy()
})

t.test(
  'a chunked batch after others of its read waited, and their answers were charged and lost',
  async t => {
    const app = await startBusyApp(t)
    const body = JSON.stringify({ apiKey: app.key, records: new Array(RECORDS).fill(record) })
    const raw = await RawSocket.open(app.port)
    raw.send(batch(app) + rawChunked('/api/validate-bulk', body) + lookup(app))
    t.same(await answersOf(raw, 3), [200, 503, 200])
    t.equal(spentQueries(app), RECORDS + 1)
    raw.socket.destroy()
  },
)

t.test('answers before a batch that had to wait were charged and lost', async t => {
  const app = await startBusyApp(t)
  // What shows where the buffer of reads begins.
  for (let i = 0; i < 3; i++) {
    const raw = await RawSocket.open(app.port)
    raw.send(batch(app))
    await raw.answer()
    raw.socket.destroy()
  }
  // Others make the turn busy; this one pipelines look-ups, batches and look-ups again.
  const others = await Promise.all(Array.from({ length: 8 }, () => RawSocket.open(app.port)))
  const before = spentQueries(app)
  const raw = await RawSocket.open(app.port)
  for (const other of others) other.send(batch(app))
  raw.send(lookup(app).repeat(3) + batch(app) + lookup(app))
  for (const other of others) t.same(await answersOf(other, 1), [200])
  raw.socket.end()
  const received = await raw.closed()
  const answered = received.split('"city":"Beverly Hills"').length - 1
  const batches = received.split('"results"').length - 1
  t.equal(answered, 4, 'every look-up is answered')
  t.equal(
    spentQueries(app) - before,
    8 * RECORDS + answered + batches * RECORDS,
    'just the answers are paid for',
  )
  for (const other of others) other.socket.destroy()
})

t.test('who leaves while waiting is not charged', async t => {
  const app = await startBusyApp(t)
  const all = await Promise.all(Array.from({ length: 40 }, () => RawSocket.open(app.port)))
  for (const raw of all) raw.send(batch(app))
  const leaving = all.slice(20)
  await all[0].answer()
  for (const raw of leaving) raw.socket.resetAndDestroy()
  let answered = 1
  for (const raw of all.slice(1, 20)) answered += (await answersOf(raw, 1)).length
  t.equal(answered, 20)
  await app.parts.replies.finished()
  const charged = spentQueries(app) / RECORDS
  t.ok(charged >= 20 && charged < 30, `${charged} batches were charged`)
  t.same(app.errors, [])
})

const noBound = process.platform !== 'linux' && 'the kernel is asked as Linux wants it'
t.test('one connection could have 512 KiB of requests answered in one turn', { skip: noBound }, async t => {
  const app = await startApp(t)
  const { id } = app.accounts.listAccounts()[0]
  await app.accounts.credit({ account: id, micros: 5_000_000, reference: 'test', kind: 'test' })
  boundReceiving(app.port)
  const raw = await RawSocket.open(app.port)
  const one = lookup(app)
  const count = 4 * Math.ceil((2 * RECEIVED_BYTES_MAX) / one.length)
  const most = watchTurns(app)
  raw.send(one.repeat(count))
  t.same(await answersOf(raw, count), new Array(count).fill(200), 'all are answered')
  // The kernel doubles the number, and a request may have begun in the read before.
  const bytes = most() * one.length
  t.ok(bytes <= 2 * RECEIVED_BYTES_MAX + one.length, `${bytes} bytes of requests in one turn`)
  raw.socket.destroy()
})

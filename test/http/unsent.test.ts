/** Answers that the parser drops together with the connection: what was not sent is not charged, and what was sent is. */
import t, { type Test } from 'tap'
import { Unsent } from '../../src/http/unsent.ts'
import { QUERY_PRICE_MICROS, TAKEN_BACK_PER_MINUTE_MAX } from '../../src/limits.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { RawSocket, rawChunked, rawPost } from '../support/raw-socket.ts'

/** The binary for Node.js 20 closes the connection on a request line that is cut. The later ones wait for the rest of it. */
const CLOSES_ON_CUT_LINE = process.versions.modules === '115'

const lookup = (app: TestApp) => rawPost('/api/lookup', JSON.stringify({ apiKey: app.key, zipcode: '90210' }))

/** The same app with the key of a new account, because what is taken back is bounded by account. */
async function withOwnKey(app: TestApp): Promise<TestApp> {
  const { keyId, key } = await app.openAccount()
  return { ...app, key, spentMicros: () => app.accounts.key(keyId)?.spentMicros ?? Number.NaN }
}

/** With more money than the free queries. */
async function startRichApp(t: Test): Promise<TestApp> {
  const app = await startApp(t)
  const { id } = app.accounts.listAccounts()[0]
  await app.accounts.credit({ account: id, micros: 5_000_000, reference: 'test', kind: 'test' })
  return app
}

interface Outcome {
  answers: number
  wasReset: boolean
}

/** Sends `text` in one packet and counts the answers until the connection is closed, by whichever side. */
async function answersTo(app: TestApp, text: string, closes = false): Promise<Outcome> {
  const raw = await RawSocket.open(app.port)
  raw.send(text)
  if (closes || !CLOSES_ON_CUT_LINE) raw.socket.end()
  const received = await raw.closed()
  return { answers: received.split('HTTP/1.1 200 OK').length - 1, wasReset: raw.wasReset }
}

/** Expects that just the answers are paid for. Where a reset may have overtaken some that were sent, they are a lower bound. */
async function expectPaid(t: Test, app: TestApp, text: string, closes = false): Promise<number> {
  const before = app.spentMicros()
  const { answers, wasReset } = await answersTo(app, text, closes)
  const paid = (app.spentMicros() - before) / QUERY_PRICE_MICROS
  t.ok(wasReset ? paid >= answers : paid === answers, `${answers} answers were received, ${paid} paid for`)
  return paid
}

t.test('20 requests before one whose first line is cut are answered or not charged', async t => {
  const app = await startRichApp(t)
  const one = lookup(app)
  await expectPaid(t, app, one.repeat(20) + one.slice(0, 10))
})

t.test('so is any number of them, whether the buffer of answers overflows or not', async t => {
  const app = await startRichApp(t)
  let lost = 0
  for (let count = 1; count < 60; count++) {
    const customer = await withOwnKey(app)
    const one = lookup(customer)
    const answers = await expectPaid(t, customer, one.repeat(count) + one.slice(0, 10))
    if (answers === 0) lost += count
    else t.equal(answers, count)
  }
  t.equal(app.parts.replies.unsent.takenBack, lost)
  if (CLOSES_ON_CUT_LINE) t.ok(lost > 100, 'the binary for Node.js 20 loses them')
})

t.test(
  'every binary drops the answer to a request before zeros, and that of a later Node.js was charged',
  async t => {
    const app = await startRichApp(t)
    const { answers } = await answersTo(app, `${lookup(app)}\0\0\0\0\r\n\r\n`)
    t.equal(answers, 0)
    t.equal(app.spentMicros(), 0)
    t.equal(app.parts.replies.unsent.takenBack, 1)
  },
)

t.test('no pinned binary answers HTTP/1.0, after which a close would not be a loss', async t => {
  const app = await startRichApp(t)
  const raw = await RawSocket.open(app.port)
  raw.send(lookup(app).replace('HTTP/1.1', 'HTTP/1.0'))
  t.match(await raw.closed(), /^HTTP\/1\.1 505 /)
  t.equal(app.spentMicros(), 0)
  t.ok(Unsent.isCertain)
})

t.test('what follows a request and is not HTTP', async t => {
  const app = await startRichApp(t)
  const one = lookup(app)
  const get = 'GET /api/lookup HTTP/1.1\r\nHost: a\r\n\r\n'
  const unknown = rawPost('/api/lookup', JSON.stringify({ apiKey: app.key, zipcode: '00000' }))
  const unfit = rawPost('/api/lookup', '', ['Content-Length: 0', 'Content-Length: 0'])
  const bulk = rawPost(
    '/api/validate-bulk',
    JSON.stringify({ apiKey: app.key, records: [{ postalCode: '90210', countryCode: 'US' }] }),
  )
  for (const text of [
    `${one}GARBAGE\r\n\r\n`,
    `${one}\0\0\0\0\r\n\r\n`,
    one + unfit,
    one + unfit + one,
    unknown + one + unfit,
    one + unknown + one.slice(0, 10),
    unknown.repeat(150) + one + one.slice(0, 10),
    bulk + one.slice(0, 10),
    one + bulk + one + unfit,
  ])
    await expectPaid(t, app, text)
  const before = app.spentMicros()
  const raw = await RawSocket.open(app.port)
  raw.send(`${one}${get}${one.slice(0, 10)}`)
  if (!CLOSES_ON_CUT_LINE) raw.socket.end()
  const received = await raw.closed()
  const isAnswered = received.includes('Beverly Hills')
  t.equal(app.spentMicros() - before, isAnswered ? QUERY_PRICE_MICROS : 0, 'a GET between')
})

t.test(
  'a request after a large batch ended the connection, and what was answered before it was lost',
  async t => {
    const app = await startRichApp(t)
    const record = { postalCode: '90210', countryCode: 'US' }
    const body = JSON.stringify({ apiKey: app.key, records: new Array(600).fill(record) })
    // With another connection, the charge of an answer that is lost stays.
    const other = await RawSocket.open(app.port)
    for (const batch of [rawPost('/api/validate-bulk', body), rawChunked('/api/validate-bulk', body)]) {
      const raw = await RawSocket.open(app.port)
      const before = app.spentMicros()
      raw.send(lookup(app) + batch + lookup(app))
      const statuses = [await raw.answer(), await raw.answer(), await raw.answer()].map(
        answer => answer?.status,
      )
      t.same(statuses, [200, 503, 200])
      t.equal(app.spentMicros() - before, 2 * QUERY_PRICE_MICROS)
      raw.send(batch)
      t.equal((await raw.answer())?.status, 200, 'alone it is answered')
      raw.socket.destroy()
    }
    other.socket.destroy()
  },
)

t.test('who asks for the connection to be closed has paid for the answer', async t => {
  const app = await startRichApp(t)
  const closing = lookup(app).replace('Host:', 'Connection: close\r\nHost:')
  for (const text of [closing, lookup(app) + closing]) {
    const answers = await expectPaid(t, app, text)
    t.equal(answers, text === closing ? 1 : 2)
  }
  t.equal(app.parts.replies.unsent.takenBack, 0)
})

t.test('who reads the answers and leaves has paid for them', async t => {
  const app = await startRichApp(t)
  const one = lookup(app)
  for (const count of [1, 2, 20]) {
    t.equal(await expectPaid(t, app, one.repeat(count), true), count, 'the client closes as it asks')
  }
  const before = app.spentMicros()
  for (let round = 0; round < 20; round++) {
    const raw = await RawSocket.open(app.port)
    raw.send(one)
    t.match(await raw.answer(), { status: 200 })
    raw.socket.resetAndDestroy()
    await raw.closed()
  }
  await answersTo(app, one, true)
  t.equal(app.spentMicros() - before, 21 * QUERY_PRICE_MICROS)
  t.equal(app.parts.replies.unsent.takenBack, 0)
})

t.test('while another connection is open, which could have got the answers, the charge stays', async t => {
  const app = await startRichApp(t)
  const other = await RawSocket.open(app.port)
  other.send(lookup(app))
  t.match(await other.answer(), { status: 200 })
  const before = app.spentMicros()
  await answersTo(app, lookup(app).repeat(20) + lookup(app).slice(0, 10))
  t.equal(app.spentMicros() - before, 20 * QUERY_PRICE_MICROS)
  other.socket.destroy()
})

t.test('taking back is bounded, so that nobody lives on it', async t => {
  const app = await startRichApp(t)
  const text = lookup(app).repeat(20) + lookup(app).slice(0, 10)
  const { unsent } = app.parts.replies
  for (let round = 0; round < TAKEN_BACK_PER_MINUTE_MAX / 20 + 5; round++) await answersTo(app, text)
  t.ok(unsent.takenBack <= 2 * TAKEN_BACK_PER_MINUTE_MAX)
})

t.test(
  'one account could use up what all others are owed, and got up to 1,000 answers a minute for nothing',
  async t => {
    const app = await startRichApp(t)
    const text = lookup(app).repeat(20) + lookup(app).slice(0, 10)
    const rounds = 55
    for (let round = 0; round < rounds; round++) await answersTo(app, text)
    const paid = app.spentMicros() / QUERY_PRICE_MICROS
    t.ok(
      paid >= rounds * 20 - 120,
      `${paid} of ${rounds * 20} queries were paid for, over at most two minutes`,
    )
    const other = await withOwnKey(app)
    await expectPaid(t, other, lookup(other).repeat(20) + lookup(other).slice(0, 10))
  },
)

t.test('an answer that fails after its charge is not charged', async t => {
  const app = await startRichApp(t)
  const { output } = app.parts.replies.request
  output.millionths = () => {
    throw new Error('a defect')
  }
  const raw = await RawSocket.open(app.port)
  raw.send(lookup(app))
  t.match(await raw.answer(), { status: 500 })
  raw.socket.destroy()
  t.equal(app.spentMicros(), 0)
  t.equal(app.errors.length, 1)
})

t.test(
  'a thread that closed its connections itself took back the charge of an answer that was sent',
  async t => {
    const app = await startRichApp(t)
    const raw = await RawSocket.open(app.port)
    raw.send(lookup(app))
    // Registered before the turn of the answer, so it runs in that very turn, before what is in the buffer is forgotten.
    const closedInTime = new Promise<void>(resolve => {
      const look = () => {
        if (app.spentMicros() > 0) {
          app.parts.close()
          resolve()
        } else setImmediate(look)
      }
      setImmediate(look)
    })
    await closedInTime
    t.match(await raw.answer(), { status: 200 }, 'the answer was sent')
    t.equal(app.spentMicros(), QUERY_PRICE_MICROS, 'and is paid for')
    t.equal(app.parts.replies.unsent.takenBack, 0)
  },
)

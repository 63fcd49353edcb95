import t from 'tap'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { BODY_BYTES_MAX } from '../../../src/service/api/body-scanner.ts'
import { BODY_DRAIN_BYTES_MAX } from '../../../src/service/http/body.ts'
import { startApp } from '../../support/app.ts'
import { RawSocket, rawPost } from '../../support/raw-socket.ts'

const app = await startApp(t)
const lookup = (fields: object) => rawPost('/api/lookup', JSON.stringify({ apiKey: app.key, ...fields }))
const tooLarge = { status: 413, body: '{"error":"Request body too large"}' }
const beverlyHills = { status: 200, body: /"city":"Beverly Hills"/ }

async function withConnection(work: (raw: RawSocket) => Promise<void>): Promise<void> {
  const raw = await RawSocket.open(app.port)
  try {
    await work(raw)
  } finally {
    raw.socket.destroy()
  }
}

t.test('pipelined requests are answered in their order', t =>
  withConnection(async raw => {
    const codes = ['90210', '62701', '00000', '02139', '63101']
    raw.send(codes.map(zipcode => lookup({ zipcode })).join(''))
    const cities = ['Beverly Hills', 'Springfield', 'ZIP code not found', 'Cambridge', 'Saint Louis']
    for (const city of cities) t.match((await raw.answer())?.body, city)
  }),
)

t.test('an answer promises to keep the connection only if the connection stays open', async t => {
  const body = JSON.stringify({ apiKey: app.key, zipcode: '90210' })
  const length = `Content-Length: ${body.length}`
  for (const [headers, isLast] of [
    [[length], false],
    [[length, 'Connection: close'], true],
    [[`Content-Length: ${BODY_BYTES_MAX + BODY_DRAIN_BYTES_MAX + 1}`], true],
  ] as const)
    await withConnection(async raw => {
      raw.send(rawPost('/api/lookup', body, headers))
      const answer = await raw.answer()
      t.equal(answer?.headers['keep-alive'] === undefined, isLast, headers.join(', '))
    })
})

/** Sends `request` in one piece up to `from`, then byte by byte. */
async function sendSlowly(raw: RawSocket, request: string, from: number): Promise<void> {
  raw.send(request.slice(0, from))
  for (const byte of Buffer.from(request.slice(from))) {
    await new Promise(resolve => setImmediate(resolve))
    raw.send(Uint8Array.of(byte))
  }
}

t.test('a request that arrives byte by byte is answered', t =>
  withConnection(async raw => {
    const request = lookup({ zipcode: '90210' })
    await sendSlowly(raw, request, request.indexOf('\r\n') + 2)
    t.match(await raw.answer(), beverlyHills)
  }),
)

t.test('a body that is cut inside a character is answered', t =>
  withConnection(async raw => {
    const request = Buffer.from(
      rawPost('/api/city', JSON.stringify({ apiKey: app.key, city: 'München', country: 'DE' })),
    )
    const cut = request.indexOf('ü') + 1
    raw.send(request.subarray(0, cut))
    await new Promise(resolve => setImmediate(resolve))
    raw.send(request.subarray(cut))
    t.match(await raw.answer(), { status: 200, body: /"80331"/ })
  }),
)

t.test('a body of the largest size is read, and one more byte is 413', async t => {
  const sized = (bytes: number) => {
    const rest = JSON.stringify({ apiKey: app.key, zipcode: '90210', pad: '' }).length
    return lookup({ zipcode: '90210', pad: 'x'.repeat(bytes - rest) })
  }
  await withConnection(async raw => {
    raw.send(sized(BODY_BYTES_MAX))
    t.match(await raw.answer(), beverlyHills)
  })
  await withConnection(async raw => {
    raw.send(sized(BODY_BYTES_MAX + 1))
    t.match(await raw.answer(), tooLarge)
  })
  const before = app.spentMicros()
  await withConnection(async raw => {
    raw.send(sized(BODY_BYTES_MAX * 20) + lookup({ zipcode: '90210' }))
    t.match(await raw.answer(), tooLarge)
    t.match(await raw.answer(), beverlyHills, 'the rest is a new request')
  })
  t.equal(app.spentMicros(), before + QUERY_PRICE_MICROS)
})

t.test('an endless body in chunks is 413', t =>
  withConnection(async raw => {
    const chunk = 'x'.repeat(0xffff)
    raw.send(rawPost('/api/lookup', '', ['Transfer-Encoding: chunked']))
    const enough = BODY_BYTES_MAX + BODY_DRAIN_BYTES_MAX
    for (let sent = 0; sent <= enough; sent += chunk.length) raw.send(`ffff\r\n${chunk}\r\n`)
    t.match(await raw.answer(), { status: 413 })
    await raw.closed()
  }),
)

t.test('the connection stays usable after other methods, with and without a body', async t => {
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    await withConnection(async raw => {
      raw.send(
        `${method} /api/lookup HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n{"a":1}${lookup({ zipcode: '90210' })}`,
      )
      t.match(await raw.answer(), { status: 405, headers: { allow: 'POST' } }, method)
      t.match(await raw.answer(), beverlyHills, `after ${method}`)
    })
  }
})

t.test('HEAD is answered without a body', async t => {
  for (const [path, status] of [
    ['/api/lookup', 200],
    ['/healthz', 200],
    ['/nothing', 404],
  ]) {
    const raw = await RawSocket.open(app.port)
    raw.send(`HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n${lookup({ zipcode: '90210' })}`)
    raw.socket.end()
    const received = await raw.closed()
    t.match(
      received,
      new RegExp(`^HTTP/1\\.1 ${status} [^{]*\r\n\r\nHTTP/1\\.1 200 OK\r\n`),
      `${path}: the next response follows at once`,
    )
  }
})

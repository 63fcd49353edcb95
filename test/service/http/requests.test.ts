import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { accountsOf } from '../../../src/billing/accounts/accounts.ts'
import type { LiveState } from '../../../src/billing/accounts/live/live-state.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { ERRORS } from '../../../src/service/errors.ts'
import { AnswerHeads } from '../../../src/service/http/answer-heads.ts'
import { BODY_DRAIN_BYTES_MAX, bodyBounds } from '../../../src/service/http/body.ts'
import { GAUGE, TOTAL } from '../../../src/service/http/counts.ts'
import { KEY_FAILURES_MAX } from '../../../src/service/http/early-refusals.ts'
import { BODY_BYTES_MAX, BULK_BODY_BYTES_MAX } from '../../../src/service/limits.ts'
import { newCounts, startApp } from '../../support/app.ts'
import { waitForMonotonicMinute } from '../../support/minute.ts'
import { openContext } from '../../support/open-context.ts'
import { post, send } from '../../support/post.ts'
import { RawSocket, rawPost } from '../../support/raw-socket.ts'
import { until } from '../../support/until.ts'

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

t.test('an answer promises to keep the connection only if the connection stays open', async t => {
  const body = JSON.stringify({ apiKey: app.key, zipcode: '90210' })
  const length = `Content-Length: ${body.length}`
  const tooLong = BODY_BYTES_MAX + BODY_DRAIN_BYTES_MAX + 1
  for (const [headers, isLast, sent = body] of [
    [[length], false],
    [[length, 'Connection: close'], true],
    [[`Content-Length: ${2 * tooLong}`], true, ' '.repeat(tooLong)],
  ] as const)
    await withConnection(async raw => {
      raw.send(rawPost('/api/lookup', sent, headers))
      const answer = await raw.answer()
      t.ok(answer, headers.join(', '))
      t.equal(answer?.headers['keep-alive'] === undefined, isLast, headers.join(', '))
    })
})

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

const CHUNKED = ['Transfer-Encoding: chunked']
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const end = '0\r\n\r\n'
const body = JSON.stringify({ apiKey: app.key, zipcode: '90210' })

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
  const bounds = { ...bodyBounds(1), heldBytesMax: bytesMax, bodyMs: 60_000 }
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
    bodyBounds: { ...bodyBounds(1), heldBytesMax: 1 << 20, bodyMs: 200 },
  })
  const raw = await RawSocket.open(bounded.port)
  raw.send(rawPost('/api/lookup', '{', ['Content-Length: 10000']))
  const writing = setInterval(() => raw.send(' '), 20)
  t.equal(await raw.closed(), '', 'the client keeps writing')
  clearInterval(writing)
  t.equal(counts.thread.gauges[GAUGE.heldBytes], 0)
})

const PAGE = 'https://app.example.com'
const ALLOW = 'access-control-allow-origin'

async function startWithOrigins(t: Test, ...allowed: string[]) {
  const { baseUrl, key } = await startApp(t, undefined, {
    observers: { heads: new AnswerHeads([], allowed) },
  })
  const ask = (origin: string | undefined, path = '/api/lookup', init: RequestInit = {}) =>
    fetch(`${baseUrl}${path}`, {
      method: 'POST',
      body: JSON.stringify({ apiKey: key, zipcode: '90210' }),
      ...init,
      headers: { ...init.headers, ...(origin !== undefined && { Origin: origin }) },
    })
  const preflight = (origin: string | undefined) =>
    ask(origin, '/api/lookup', {
      method: 'OPTIONS',
      body: null,
      headers: { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'x-api-key' },
    })
  return { ask, preflight }
}

t.test('a page of a listed origin may call the API', async t => {
  const { ask, preflight } = await startWithOrigins(t, 'https://other.example.com', PAGE)
  const asked = await preflight(PAGE)
  t.equal(asked.status, 200)
  t.equal(asked.headers.get(ALLOW), PAGE)
  t.equal(asked.headers.get('vary'), 'Origin')
  t.match(asked.headers.get('access-control-allow-headers'), /X-API-Key/)
  t.equal((await ask(PAGE, '/openapi.json', { method: 'OPTIONS', body: null })).status, 200)
  t.equal((await ask(PAGE, '/api/nowhere', { method: 'OPTIONS', body: null })).status, 404)
  for (const [path, init, status] of [
    ['/api/lookup', {}, 200],
    ['/api/lookup', { body: '{}' }, 400],
    ['/api/lookup', { body: '{"apiKey":"x","zipcode":"1"}' }, 401],
    ['/api/lookup', { body: 'x'.repeat(20_000) }, 413],
    ['/api/city', {}, 400],
    ['/nowhere', {}, 404],
  ] as const) {
    const { headers, status: found } = await ask(PAGE, path, init)
    t.equal(found, status)
    t.equal(headers.get(ALLOW), PAGE, `${path} ${status}`)
  }
})

t.test('other pages may not call the API, and programs may', async t => {
  const { ask, preflight } = await startWithOrigins(t, PAGE)
  for (const origin of [undefined, 'https://app.example.com.evil.example', 'null', `${PAGE}:8443`, '*']) {
    t.equal((await preflight(origin)).status, 405)
    const { status, headers } = await ask(origin)
    t.equal(status, 200)
    t.equal(headers.get(ALLOW), null, `${origin}`)
    t.equal(headers.get('vary'), origin === undefined ? null : 'Origin', `${origin}`)
  }
})

t.test('with `*`, every page may call the API', async t => {
  const { ask } = await startWithOrigins(t, '*')
  t.equal((await ask('https://anywhere.example')).headers.get(ALLOW), '*')
  t.equal((await ask(undefined)).headers.get(ALLOW), null)
})

t.test('by default, no page may call the API', async t => {
  const { ask, preflight } = await startWithOrigins(t)
  t.equal((await ask(PAGE)).headers.get(ALLOW), null)
  t.equal((await preflight(PAGE)).status, 405)
  const { status, headers } = await ask(PAGE, '/openapi.json', { method: 'OPTIONS', body: null })
  t.same([status, headers.get('allow')], [405, 'GET, HEAD'])
})

const wrong = { apiKey: `pk_live_${'A'.repeat(36)}`, zipcode: '90210' }
const records = [{ postalCode: '90210', countryCode: 'US' }]
/** Maximum time of a test's failed keys. */
const FAILURES_MS = 15_000

t.test(
  'many failed keys get late answers, and a valid key from the same address an immediate one',
  async t => {
    const app = await startApp(t)
    const waiting = () => app.counts.shared.load(TOTAL.waitingKeys)
    await waitForMonotonicMinute(FAILURES_MS)
    for (let i = 0; i < KEY_FAILURES_MAX; i++) {
      t.equal((await post(app.baseUrl, '/api/lookup', wrong)).status, 401)
    }
    t.equal(waiting(), 0)
    const late = ['/api/lookup', '/api/aboutapi', '/api/validate-bulk', '/api/city'].map(path =>
      post(app.baseUrl, path, { ...wrong, records, city: 'Berlin', country: 'DE' }),
    )
    const raw = await RawSocket.open(app.port)
    raw.send(rawPost('/api/lookup', JSON.stringify(wrong)))
    await until(() => waiting() === late.length + 1)
    raw.socket.destroy()
    await until(() => waiting() === late.length)
    const valid = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
    t.equal(valid.status, 200)
    t.equal(waiting(), late.length, 'the failed keys still wait, but for a client that did not')
    for (const answer of await Promise.all(late)) {
      t.equal(answer.status, 401)
      t.same(answer.json, { error: 'Invalid API key' })
    }
    t.same(app.errors, [])
  },
)

t.test('an unexpected error is a 500 without a stack trace and is reported', async t => {
  const app = await startApp(t)
  const { index } = app.context
  app.context.replaceIndex({ ...index, codes: undefined as never })
  const answer = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
  t.equal(answer.status, 500)
  t.same(answer.json, { error: 'Internal server error' })
  t.equal(app.errors.length, 1)
  app.context.replaceIndex(index)
  const next = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
  t.match(next.json, { city: 'Beverly Hills' }, 'the next request is served')
})

t.test('a request that cannot be charged is refused with 503', async t => {
  const app = await startApp(t)
  Object.defineProperty(app.context.charging, 'healthy', { value: false })
  for (const path of ['/api/lookup', '/api/validate-bulk']) {
    const body = { apiKey: app.key, zipcode: '90210', records: [{ postalCode: '90210', countryCode: 'US' }] }
    const answer = await post(app.baseUrl, path, body)
    t.equal(answer.status, 503, path)
    t.same(answer.json, { error: 'Service unavailable' })
  }
})

t.test('readiness names the reason when requests cannot be answered', async t => {
  let isDraining = false
  const app = await startApp(t, undefined, { isDraining: () => isDraining })
  const ready = () => send(app.baseUrl, '/readyz', {})
  t.match(await ready(), { status: 200, json: { status: 'ok' } })
  isDraining = true
  t.match(await ready(), {
    status: 503,
    json: { status: 'unavailable', reasons: ['the server is stopping'] },
  })
  Object.defineProperty(app.context.charging, 'healthy', { value: false })
  const reasons = ['the server is stopping', 'the ledger cannot be written']
  t.same((await ready()).json, { status: 'unavailable', reasons }, 'all reasons are given')
  t.equal((await send(app.baseUrl, '/healthz', {})).status, 200, 'the process itself is alive')
})

t.test('a disk that stalls during a charge is not reported as an empty balance', async t => {
  let live: LiveState | undefined
  const { baseUrl, key, accounts } = await startApp(t, undefined, {}, {}, async options => {
    const context = await openContext(options)
    live = context.live
    return accountsOf(context)
  })
  const { charging } = accounts
  const charge = charging.charge.bind(charging)
  charging.charge = (...charged) => {
    live?.setStalled(true)
    const isPaid = charge(...charged)
    live?.setStalled(false)
    return isPaid
  }
  const { status, json } = await post(baseUrl, '/api/lookup', { apiKey: key, zipcode: '90210' })
  t.equal(status, 503)
  t.match(json, { error: ERRORS.UNAVAILABLE.text })
})

const record = { postalCode: '90210', countryCode: 'US' }

t.test('a client that reads nothing holds only one large answer in memory', async t => {
  const app = await startApp(t, undefined, { queries: 10_000_000 })
  const batch = rawPost(
    '/api/validate-bulk',
    JSON.stringify({ apiKey: app.key, records: new Array(300).fill(record) }),
  )
  const socket = connect({ port: app.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  // Node.js reads ahead only up to its high-water mark.
  socket.pause()
  await once(socket, 'connect')
  // `once` would reject when the server resets the connection.
  const closed = new Promise(resolve => socket.on('close', resolve))
  const count = 2000
  for (let i = 0; i < count; i++) socket.write(batch)
  await closed
  const batches = app.spentMicros() / 300 / 28
  t.ok(batches > 0 && batches < count, `${batches} of ${count} batches were executed`)
})

t.test('a large answer arrives complete at a slow reader', async t => {
  const app = await startApp(t, undefined, { queries: 10_000_000 })
  // The answer is larger than the socket buffers of both sides together.
  const codes = Array.from({ length: 1000 }, () => ({ postalCode: 'x'.repeat(900), countryCode: 'US' }))
  const body = JSON.stringify({ apiKey: app.key, records: codes })
  const sockets = await Promise.all([1, 2, 3, 4].map(() => RawSocket.open(app.port)))
  for (const raw of sockets) {
    raw.socket.pause()
    raw.send(rawPost('/api/validate-bulk', body))
  }
  await app.parts.replies.finished()
  for (const raw of sockets) {
    raw.socket.resume()
    const answer = await raw.answer()
    t.equal(answer?.status, 200)
    t.equal(JSON.parse(answer?.body ?? '{}').results.length, 1000)
    raw.socket.destroy()
  }
})

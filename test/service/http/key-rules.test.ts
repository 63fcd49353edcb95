/** Rules of keys over real sockets and three threads. */
import t, { type Test } from 'tap'
import { type NamedKeyRules, NO_RULES } from '../../../src/billing/accounts/views.ts'
import { Clients } from '../../../src/service/api/clients.ts'
import { BULK_THRESHOLD_BYTES } from '../../../src/service/endpoints/endpoint.ts'
import { TOTAL } from '../../../src/service/http/counts.ts'
import { KEY_FAILURES_MAX } from '../../../src/service/http/early-refusals.ts'
import { startApp } from '../../support/app.ts'
import { waitForMonotonicMinute } from '../../support/minute.ts'
import { checkAnswer } from '../../support/openapi.ts'
import { observeAnswers, post } from '../../support/post.ts'
import { RawSocket, rawPost } from '../../support/raw-socket.ts'
import { lookupWith, sendCopies, startThreads } from '../../support/threads.ts'
import { until } from '../../support/until.ts'

t.setTimeout(180_000)

const THREADS = 3
/** Number of connections that reaches every thread. */
const CONNECTIONS = 16
const DAY_MS = 86_400_000
const NONE = { perMinute: null, perHour: null, perDay: null }
const rules = (some: Partial<NamedKeyRules>): NamedKeyRules => ({ ...NO_RULES, ...some })

const ENDPOINT_ERROR = 'API key not allowed for this endpoint'
const ADDRESS_ERROR = 'API key not allowed from this address'
const RECORD = { postalCode: '90210', countryCode: 'US' }

/** A valid request of each paid endpoint, with the endpoint's name in rules. */
const CHARGED = [
  ['lookup', '/api/lookup', { zipcode: '90210' }],
  ['metacode', '/api/metacode', { zipcode: '90210' }],
  ['metacode', '/api/metazip', { zipcode: '90210' }],
  ['validate', '/api/validate', { zipcode: '90210' }],
  ['city', '/api/city', { city: 'Beverly Hills', ST: 'CA' }],
  ['validate-bulk', '/api/validate-bulk', { records: [RECORD] }],
  ['lookup-bulk', '/api/lookup-bulk', { records: [RECORD] }],
  ['nearest', '/api/nearest', { zipcode: '90210' }],
  ['distance', '/api/distance', { from: '90210', to: '90210' }],
  ['autocomplete', '/api/autocomplete', { query: 'bev' }],
  ['countries', '/api/countries', {}],
  ['format', '/api/format', {}],
] as const
const FREE = ['/api/balance', '/api/aboutapi']

async function connectionsFrom(t: Test, port: number, from = '127.0.0.1') {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawSocket.open(port, from)))
  t.teardown(() => {
    for (const { socket } of sockets) socket.destroy()
  })
  /** Returns the distinct answers of all connections to one request. */
  return async (path: string, body: object) => {
    const text = JSON.stringify(body)
    const answers = await Promise.all(
      sockets.map(async raw => {
        raw.send(rawPost(path, text))
        const answer = await raw.answer()
        return `${answer?.status} ${answer?.status === 200 ? '' : JSON.parse(answer?.body ?? '{}').error}`.trim()
      }),
    )
    return [...new Set(answers)]
  }
}

observeAnswers(checkAnswer)
const { port, baseUrl, accounts, openAccount, errors } = await startThreads(t, THREADS)

t.test('a key for one endpoint is refused at the others with 403', async t => {
  const { key: apiKey, keyId } = await openAccount(10_000)
  for (const allowed of ['lookup', 'validate-bulk', 'metacode'] as const) {
    await accounts.setKeyRules(keyId, rules({ endpoints: [allowed] }))
    for (const [name, path, body] of CHARGED) {
      const answer = await post(baseUrl, path, { apiKey, ...body })
      if (name === allowed) t.equal(answer.status, 200, path)
      else {
        t.match(answer, { status: 403, json: { error: ENDPOINT_ERROR } }, path)
        t.match(answer.json.message, `for ${allowed} only`)
      }
    }
    for (const path of FREE) t.equal((await post(baseUrl, path, { apiKey })).status, 200, `${path} is free`)
  }
  await accounts.setKeyRules(keyId, NO_RULES)
  for (const [, path, body] of CHARGED)
    t.equal((await post(baseUrl, path, { apiKey, ...body })).status, 200, `${path} without rules`)
})

t.test('a key for some networks is refused from elsewhere with 403', async t => {
  const { key: apiKey, keyId } = await openAccount(10_000)
  const near = await connectionsFrom(t, port)
  const far = await connectionsFrom(t, port, '127.9.9.9')
  await accounts.setKeyRules(keyId, rules({ addresses: ['2001:db8::/32', '127.9.0.0/16'] }))
  for (const [, path, body] of CHARGED) {
    t.same(await near(path, { apiKey, ...body }), [`403 ${ADDRESS_ERROR}`], path)
    t.same(await far(path, { apiKey, ...body }), ['200'], path)
  }
  for (const path of FREE) {
    t.same(await near(path, { apiKey }), [`403 ${ADDRESS_ERROR}`], path)
    t.same(await far(path, { apiKey }), ['200'], path)
  }
  const { json } = await post(baseUrl, '/api/lookup', { apiKey, zipcode: '90210' })
  t.match(json.message, 'this request came from 127.0.0.1.')
  await accounts.setKeyRules(keyId, rules({ addresses: ['127.9.9.9'], endpoints: ['city'] }))
  t.same(await near('/api/lookup', { apiKey, zipcode: '90210' }), [`403 ${ADDRESS_ERROR}`], 'address first')
  t.same(await far('/api/lookup', { apiKey, zipcode: '90210' }), [`403 ${ENDPOINT_ERROR}`])
})

t.test('batches of every size follow the rules', async t => {
  const { key: apiKey, keyId, id } = await openAccount(100_000)
  const near = await connectionsFrom(t, port)
  const batch = (bytes: number) => {
    const pad = 'x'.repeat(Math.ceil(bytes / 600))
    return Array.from({ length: 600 }, () => ({ ...RECORD, pad }))
  }
  // Small batches are answered at once, others by a worker. The key stands first, last or in the middle.
  for (const bytes of [1000, BULK_THRESHOLD_BYTES * 2]) {
    const records = batch(bytes)
    for (const body of [
      { apiKey, records },
      { records, apiKey },
      { records, apiKey, pad: records },
    ]) {
      const isTooLong = JSON.stringify(body).length > 1024 * 1024
      if (isTooLong) continue
      await accounts.setKeyRules(keyId, rules({ endpoints: ['lookup-bulk'] }))
      t.same(await near('/api/validate-bulk', body), [`403 ${ENDPOINT_ERROR}`], `${bytes} bytes`)
      t.same(await near('/api/lookup-bulk', { ...body, records: [RECORD] }), ['200'])
      await accounts.setKeyRules(keyId, rules({ addresses: ['127.9.9.9'] }))
      t.same(await near('/api/validate-bulk', body), [`403 ${ADDRESS_ERROR}`], `${bytes} bytes`)
      await accounts.setKeyRules(keyId, rules({ limits: { ...NONE, perDay: 500 } }))
      t.same(await near('/api/validate-bulk', body), [
        '429 Rate limit would be exceeded by this bulk request',
      ])
    }
  }
  await accounts.setKeyRules(keyId, rules({ addresses: ['127.9.9.9'] }))
  // Connections that are idle for ten seconds are closed, so they open here.
  const far = await connectionsFrom(t, port, '127.9.9.9')
  t.same(await far('/api/validate-bulk', { apiKey, records: batch(BULK_THRESHOLD_BYTES * 2) }), ['200'])
  t.ok((accounts.account(id)?.spentMicros ?? 0) > 0)
})

t.test('rules are checked after the shape and before the limits', async t => {
  const { key: apiKey, keyId, id } = await openAccount(1000)
  await accounts.setLimits(id, { ...NONE, perDay: 1 })
  await accounts.setKeyRules(keyId, rules({ endpoints: ['city'] }))
  const ask = (path: string, body: object) => post(baseUrl, path, { apiKey, ...body })
  t.match(await ask('/api/lookup', {}), { status: 400 }, 'the shape comes before the rules')
  const refused = await ask('/api/lookup', { zipcode: '90210' })
  t.match(refused, { status: 403 })
  t.equal(refused.headers.get('ratelimit'), null, 'a request that rules refuse is not counted')
  t.equal(accounts.currentQueries(id).used.perDay, 0)
  t.match(await ask('/api/city', { city: 'Beverly Hills', ST: 'CA' }), { status: 200 })
  t.match(await ask('/api/city', { city: 'Beverly Hills', ST: 'CA' }), { status: 429 })
  t.match(await ask('/api/lookup', { zipcode: '90210' }), { status: 403 }, 'the rules come before the limits')
  await accounts.setKeyRules(keyId, rules({ endpoints: ['city'], expiresMs: Date.now() + 50 }))
  let status = 0
  for (let count = 0; count < 10_000 && status !== 401; count++)
    status = (await ask('/api/city', { city: 'Beverly Hills', ST: 'CA' })).status
  t.equal(status, 401)
  t.match(await ask('/api/lookup', { zipcode: '90210' }), { status: 401, json: { error: 'Invalid API key' } })
})

async function checkLimits(t: Test): Promise<void> {
  const { id, key, keyId } = await openAccount(10_000)
  const { secret: other } = await accounts.createKey(id)
  const day = Math.floor(Date.now() / DAY_MS)
  await accounts.setKeyRules(keyId, rules({ limits: { ...NONE, perDay: 500 } }))
  const counts = await sendCopies(port, CONNECTIONS * 2, 800, lookupWith(key))
  const { status, json, headers } = await post(baseUrl, '/api/lookup', { apiKey: key, zipcode: '90210' })
  if (Math.floor(Date.now() / DAY_MS) !== day) return checkLimits(t)
  t.same(counts, { 200: 500, 429: 300 }, 'exact over the threads')
  t.match({ status, json }, { status: 429, json: { error: 'Rate limit exceeded' } })
  t.equal(headers.get('retry-after'), String(json.retryAfter))
  t.equal(headers.get('ratelimit-policy'), '"day";q=500;w=86400')
  t.match(headers.get('ratelimit'), '"day";r=0;t=')
  const free = await post(baseUrl, '/api/lookup', { apiKey: other, zipcode: '90210' })
  t.match(free.json.rateLimit, { enabled: false }, 'another key of the account has no limits')
  await accounts.setKeyRules(keyId, rules({ limits: { ...NONE, perDay: 600 } }))
  t.match((await post(baseUrl, '/api/lookup', { apiKey: key, zipcode: '90210' })).json.rateLimit, {
    enabled: true,
    perMinute: { limit: null },
    perDay: { limit: 600, current: 501, approachingLimit: true },
  })
  const records = Array.from({ length: 700 }, () => RECORD)
  const { json: tooLarge } = await post(baseUrl, '/api/validate-bulk', { apiKey: key, records })
  t.equal(tooLarge.message, 'The rate limits of this API key allow at most 600 records in one request.')
  t.equal(tooLarge.retryAfter, undefined)
}

t.test('limits of a key are exact over threads and shown in answers', checkLimits)

t.test('a change holds on the next request of every thread', async t => {
  const { key: apiKey, keyId, id } = await openAccount(100_000)
  const ask = await connectionsFrom(t, port)
  const body = { apiKey, zipcode: '90210' }
  t.same(await ask('/api/lookup', body), ['200'])
  for (let round = 0; round < 6; round++) {
    await accounts.setKeyRules(keyId, rules({ endpoints: ['city'] }))
    t.same(await ask('/api/lookup', body), [`403 ${ENDPOINT_ERROR}`])
    await accounts.setKeyRules(keyId, rules({ addresses: ['10.0.0.0/8'] }))
    t.same(await ask('/api/lookup', body), [`403 ${ADDRESS_ERROR}`])
    await accounts.setKeyRules(keyId, round % 2 === 0 ? NO_RULES : rules({ endpoints: ['lookup'] }))
    t.same(await ask('/api/lookup', body), ['200'])
  }
  let present = apiKey
  for (let round = 0; round < 4; round++) {
    // After some failed keys, an address gets late answers.
    const ask = await connectionsFrom(t, port, `127.1.0.${1 + round}`)
    const { secret: next } = await accounts.rollKey(keyId, 60_000)
    t.same(await ask('/api/lookup', { ...body, apiKey: next }), ['200'], 'the new secret')
    t.same(await ask('/api/lookup', { ...body, apiKey: present }), ['200'], 'the earlier secret')
    await accounts.endKeyOverlap(keyId)
    t.same(await ask('/api/lookup', { ...body, apiKey: present }), ['401 Invalid API key'])
    present = next
  }
  await accounts.setKeyRules(keyId, rules({ expiresMs: Date.now() + 60_000 }))
  t.same(await ask('/api/lookup', { ...body, apiKey: present }), ['200'])
  const other = await connectionsFrom(t, port, '127.1.0.9')
  await accounts.suspend(id, 'a test')
  t.same(await other('/api/lookup', { ...body, apiKey: present }), ['401 Invalid API key'], 'suspended')
  await accounts.resume(id, 'a test')
  t.same(await other('/api/lookup', { ...body, apiKey: present }), ['200'])
  const fresh = await accounts.createKey(id)
  t.same(await other('/api/lookup', { ...body, apiKey: fresh.secret }), ['200'], 'a new key')
  await accounts.revokeKey(fresh.id)
  t.same(await other('/api/lookup', { ...body, apiKey: fresh.secret }), ['401 Invalid API key'], 'revoked')
  t.same(errors, [])
})

const PROXY = '127.0.0.2'
const DIRECT = '127.0.0.3'
const PROXIES = [PROXY]

async function openConnection(t: Test, port: number, from: string): Promise<RawSocket> {
  const raw = await RawSocket.open(port, from)
  t.teardown(() => raw.socket.destroy())
  return raw
}

function requestOf(path: string, body: object, lines: readonly string[]): string {
  const text = JSON.stringify(body)
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Content-Length: ${Buffer.byteLength(text)}`, ...lines]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}

t.test('a key with networks accepts the clients of a proxy on every thread', async t => {
  const { port, accounts, openAccount } = await startThreads(t, 2, { trustedProxies: PROXIES })
  const { key: apiKey, keyId } = await openAccount(10_000)
  await accounts.setKeyRules(keyId, { ...NO_RULES, addresses: ['203.0.113.0/24'] })
  const said = (address: string) => `X-Forwarded-For: ${address}`
  const other = 'Forwarded: for=203.0.113.9'
  const records = Array.from({ length: 900 }, () => ({ postalCode: '90210', countryCode: 'US', pad: 'x' }))
  const cases: [lines: string[], from: string, status: number, name: string][] = [
    [[said('203.0.113.9')], PROXY, 200, 'a client in the network'],
    [[said('198.51.100.1')], PROXY, 403, 'a client outside'],
    [[said('203.0.113.9'), said('198.51.100.1')], PROXY, 403, 'several lines are one list'],
    [[said('198.51.100.1'), said('203.0.113.9')], PROXY, 200, 'the last of several lines counts'],
    [[said('203.0.113.9')], DIRECT, 403, 'the header of a direct client is ignored'],
    [[said('unknown')], PROXY, 403, 'a client that the proxy does not know'],
    [[other], PROXY, 403, 'the other header'],
    [[], PROXY, 403, 'the proxy itself'],
  ]
  const proxied = await Promise.all(Array.from({ length: 8 }, () => openConnection(t, port, PROXY)))
  const direct = await openConnection(t, port, DIRECT)
  for (const [lines, from, status, name] of cases) {
    for (const raw of from === PROXY ? proxied : [direct]) {
      raw.send(requestOf('/api/lookup', { apiKey, zipcode: '90210' }, lines))
      t.equal((await raw.answer())?.status, status, name)
    }
    const [first] = from === PROXY ? proxied : [direct]
    first.send(requestOf('/api/validate-bulk', { apiKey, records }, lines))
    t.equal((await first.answer())?.status, status, `${name}, in a large batch`)
  }
  direct.send(requestOf('/api/lookup', { apiKey, zipcode: '90210' }, [said('203.0.113.9')]))
  t.match((await direct.answer())?.body, `this request came from ${DIRECT}.`)
  proxied[0].send(requestOf('/api/lookup', { apiKey, zipcode: '90210' }, [said('unknown')]))
  t.match((await proxied[0].answer())?.body, 'from an address that is not known.')
})

t.test('failed keys are counted for the client of a proxy, not for the proxy', async t => {
  const app = await startApp(t, undefined, { clients: new Clients(PROXIES) })
  const waiting = () => app.counts.shared.load(TOTAL.waitingKeys)
  const body = { apiKey: `pk_live_${'A'.repeat(36)}`, zipcode: '90210' }
  const fail = (raw: RawSocket, lines: string[]) => raw.send(requestOf('/api/lookup', body, lines))
  await waitForMonotonicMinute(15_000)
  const guesser = await openConnection(t, app.port, PROXY)
  for (let i = 0; i < KEY_FAILURES_MAX; i++) {
    fail(guesser, [`X-Forwarded-For: 198.51.100.${i % 200}, 203.0.113.9`])
    t.equal((await guesser.answer())?.status, 401)
  }
  fail(guesser, ['X-Forwarded-For: 203.0.113.9'])
  await until(() => waiting() === 1)
  const other = await openConnection(t, app.port, PROXY)
  fail(other, ['X-Forwarded-For: 203.0.113.10'])
  t.equal((await other.answer())?.status, 401, 'another client of the proxy does not wait')
  t.equal(waiting(), 1)
  fail(other, [])
  t.equal((await other.answer())?.status, 401, 'the proxy does not wait either')
  t.equal((await guesser.answer())?.status, 401)
})

/** API.md, *Requests*, *Errors* and *Order of checks*. */

import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { post, send } from '../support/post.ts'
import { needsOperator, openTarget, type Target } from './target.ts'

const target = await openTarget(t)
const { baseUrl, key: apiKey } = target
const CODE_PATHS = ['/api/lookup', '/api/metacode', '/api/metazip', '/api/validate']
const RECORD_PATHS = [...CODE_PATHS, '/api/city']
const BULK_PATHS = ['/api/validate-bulk', '/api/lookup-bulk']
const PATHS = [...RECORD_PATHS, '/api/validate-bulk', '/api/aboutapi', '/api/balance']

async function errorOf(path: string, body: unknown): Promise<[number, string]> {
  const { status, json } = await post(baseUrl, path, body)
  return [status, json.error]
}

t.test('a request is checked for a key, then its shape, then the key itself', async t => {
  t.same(await errorOf('/api/lookup', { country: 'USA' }), [400, 'Missing required field: apiKey'])
  t.same(await errorOf('/api/lookup', { apiKey: 'wrong' }), [400, 'Missing required field: zipcode'])
  t.same(await errorOf('/api/lookup', { apiKey: 'wrong', zipcode: '1', country: 'USA' }), [
    400,
    "Invalid 'country'",
  ])
  t.same(await errorOf('/api/lookup', { apiKey: 'wrong', zipcode: '00000' }), [401, 'Invalid API key'])
  t.same(await errorOf('/api/validate-bulk', { records: [] }), [400, 'Missing required field: apiKey'])
})

t.test('in a batch of any size, the key is checked before the records', async t => {
  const errors = {
    0: 'records array must contain at least 1 record',
    1: 'records[0].postalCode must be a non-empty string',
    1000: 'records[0].postalCode must be a non-empty string',
    1001: 'records array exceeds maximum of 1000 per request',
  }
  // Several failed keys would be answered late, so each size has one.
  for (const [count, error] of Object.entries(errors)) {
    const records = new Array(Number(count)).fill({ postalCode: '', countryCode: 'US' })
    const [path, other] = Number(count) % 2 === 0 ? BULK_PATHS : BULK_PATHS.toReversed()
    t.same(await errorOf(path, { records, apiKey: 'wrong' }), [401, 'Invalid API key'], count)
    t.same(await errorOf(other, { records }), [400, 'Missing required field: apiKey'], count)
    t.same(await errorOf(other, { apiKey, records }), [400, error], count)
  }
})

t.test('the key may be in a header, and the key of the body wins', async t => {
  const records = [{ postalCode: '90210', countryCode: 'US' }]
  const whole = { zipcode: '90210', city: 'Beverly Hills', ST: 'CA', records }
  const statusOf = async (path: string, headers: Record<string, string>, body: object) =>
    (await send(baseUrl, path, { method: 'POST', headers, body: JSON.stringify(body) })).status
  for (const path of PATHS) {
    t.equal(await statusOf(path, { Authorization: `Bearer ${apiKey}` }, whole), 200, path)
    t.equal(await statusOf(path, { 'X-API-Key': apiKey }, { ...whole, apiKey: null }), 200, path)
    t.equal(await statusOf(path, { Authorization: 'Bearer wrong' }, { ...whole, apiKey }), 200, path)
    t.equal(await statusOf(path, { Authorization: 'Basic YTpi' }, whole), 400, path)
  }
  for (const path of ['/api/lookup', '/api/validate-bulk']) {
    t.equal(await statusOf(path, { 'X-API-Key': apiKey }, { ...whole, apiKey: 'wrong' }), 401, path)
    t.equal(await statusOf(path, { Authorization: 'Bearer wrong' }, whole), 401, path)
  }
})

t.test('a byte order mark is skipped, and an encoded body is refused', async t => {
  const records = [{ postalCode: '90210', countryCode: 'US' }]
  const body = JSON.stringify({ apiKey, zipcode: '90210', city: 'Beverly Hills', ST: 'CA', records })
  for (const path of PATHS) {
    t.equal((await post(baseUrl, path, `\ufeff${body}`)).status, 200, path)
    const encoded = (coding: string) =>
      send(baseUrl, path, { method: 'POST', headers: { 'Content-Encoding': coding }, body })
    t.equal((await encoded('identity')).status, 200, path)
    const { status, json } = await encoded('gzip')
    t.same([status, json], [415, { error: 'Unsupported Content-Encoding' }], path)
  }
})

t.test('a trailing slash is ignored, and HEAD is answered like GET', async t => {
  t.equal((await post(baseUrl, '/api/lookup/', { apiKey, zipcode: '90210' })).status, 200)
  for (const path of ['/api/lookup', '/api/lookup/', '/healthz', '/healthz/', '/readyz', '/openapi.json']) {
    t.equal((await send(baseUrl, path, { method: 'GET' })).status, 200, path)
    const head = await fetch(`${baseUrl}${path}`, { method: 'HEAD' })
    t.equal(head.status, 200, path)
    t.equal(await head.text(), '')
  }
  t.equal((await fetch(`${baseUrl}/nowhere`, { method: 'HEAD' })).status, 404)
})

t.test('a body that is not a JSON object in UTF-8 is refused', async t => {
  const bodies = [
    ...'|{|null|[]|"x"|{"apiKey":"a",}'.split('|'),
    new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  ]
  for (const path of PATHS) {
    for (const body of bodies)
      t.same(await errorOf(path, body), [400, 'Invalid JSON body'], `${path} ${body}`)
  }
})

t.test('a body over the limit is refused with 413', async t => {
  const large = JSON.stringify({ apiKey, zipcode: '90210', padding: 'x'.repeat(2 * 1024 * 1024) })
  for (const path of PATHS) t.same(await errorOf(path, large), [413, 'Request body too large'], path)
})

t.test('an unknown path is refused with 404', async t => {
  for (const path of ['/', '/api', '/api/unknown', '/api/lookup/x', '/API/lookup', '/lookup']) {
    t.same(await errorOf(path, { apiKey }), [404, 'Not found'], path)
  }
})

t.test('another method than POST is refused with 405', async t => {
  for (const path of PATHS) {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await send(baseUrl, path, { method })
      t.equal(answer.status, 405, `${method} ${path}`)
      t.same(answer.json, { error: 'Method not allowed' })
      t.equal(answer.headers.get('allow'), 'POST')
    }
  }
})

t.test('GET answers 200 for free, so that clients can keep the service warm', async t => {
  for (const path of PATHS) {
    const answer = await send(baseUrl, path, { method: 'GET' })
    t.equal(answer.status, 200, path)
    t.same(answer.json, { status: 'warm' }, path)
  }
})

t.test('an apiKey that is not a non-empty string counts as missing', async t => {
  for (const key of [undefined, '', null, 1, true, {}, ['x']]) {
    const body = { apiKey: key, zipcode: '90210', city: 'x', ST: 'CA', records: [] }
    for (const path of PATHS) {
      const text = path === '/api/aboutapi' ? "Missing or invalid 'apiKey'" : 'Missing required field: apiKey'
      t.same(await errorOf(path, body), [400, text], `${path} ${JSON.stringify(key)}`)
    }
  }
})

t.test('a zipcode or city that is not a non-empty string counts as missing', async t => {
  for (const zipcode of ['""', 'null', 'true', '{}', '["90210"]', '1e999']) {
    const body = `{"apiKey":"${apiKey}","zipcode":${zipcode}}`
    t.same(await errorOf('/api/lookup', body), [400, 'Missing required field: zipcode'], zipcode)
  }
  for (const city of [undefined, '', null, 5, {}, ['x']]) {
    t.same(
      await errorOf('/api/city', { apiKey, city, ST: 'CA' }),
      [400, 'Missing required field: city'],
      String(city),
    )
  }
})

t.test('every record endpoint refuses an invalid country', async t => {
  for (const country of ['U', 'USA', 'U1', 'ZZ', 'é', 5, false, [], {}]) {
    for (const path of RECORD_PATHS) {
      const body = { apiKey, zipcode: '90210', city: 'x', ST: 'CA', country }
      t.same(await errorOf(path, body), [400, "Invalid 'country'"], `${path} ${JSON.stringify(country)}`)
    }
  }
})

t.test('null and an empty text count as absent in every optional field', async t => {
  for (const nothing of [null, '']) {
    const us = { zipcode: '90210', city: 'Beverly Hills', country: nothing }
    const rows: [path: string, body: object, has: object][] = [
      ['/api/lookup', us, { city: 'Beverly Hills' }],
      ['/api/metacode', us, { meta: { zipcode: '90210' } }],
      ['/api/validate', us, { valid: true, zipcode: '90210' }],
      ['/api/city', { ...us, state: nothing, ST: 'CA' }, { zipcodes: Array }],
      ['/api/city', { ...us, state: 'California', ST: nothing }, { zipcodes: Array }],
      ['/api/city', { city: 'Berlin', country: 'DE', state: nothing, ST: nothing }, { zipcodes: Array }],
    ]
    for (const [path, body, has] of rows)
      t.match((await post(baseUrl, path, { apiKey, ...body })).json, has, `${path} ${JSON.stringify(body)}`)
    const stateless = [400, "Missing 'state' or 'ST' in request body"]
    t.same(await errorOf('/api/city', { apiKey, ...us, state: nothing, ST: nothing }), stateless)
  }
})

t.test('a filter of the wrong type is refused', async t => {
  const verify = { apiKey, zipcode: '90210' }
  const record = { postalCode: '90210', countryCode: 'US', city: 5 }
  for (const wrong of [5, true, {}, ['CA']]) {
    const state = [400, "Invalid 'state' or 'ST'"]
    for (const name of ['state', 'ST']) {
      t.same(await errorOf('/api/list', { apiKey, list: 'zipcodes', [name]: wrong }), state)
      t.same(await errorOf('/api/city', { apiKey, city: 'Berlin', country: 'DE', [name]: wrong }), state)
      t.same(await errorOf('/api/verify', { ...verify, [name]: wrong }), state)
    }
    t.same(await errorOf('/api/verify', { ...verify, city: wrong }), [400, "Invalid 'city'"])
  }
  const records = [400, 'records[0].city, state and ST must be texts']
  t.same(await errorOf('/api/verify-bulk', { apiKey, records: [record] }), records)
})

t.test('a text of more than 128 characters cannot name a city or a state', async t => {
  const notFound = [404, 'No ZIP codes found for the given city/state']
  for (const character of ['a', 'é', '\u0301', '日', '😀', ' ']) {
    const long = `Berlin${character.repeat(123)}`
    t.same(await errorOf('/api/city', { apiKey, city: long, country: 'DE' }), notFound, `city ${character}`)
    for (const field of ['state', 'ST']) {
      const body = { apiKey, city: 'Berlin', country: 'DE', [field]: long }
      t.same(await errorOf('/api/city', body), notFound, `${field} ${character}`)
    }
  }
  const spaces = `Berlin${' '.repeat(122)}`
  t.equal((await post(baseUrl, '/api/city', { apiKey, city: spaces, country: 'DE' })).status, 200, '128 can')
})

t.test('a valid country without data has no codes', async t => {
  const noCity = 'No ZIP codes found for the given city/state'
  for (const country of ['AQ', 'XK', 'aq']) {
    const body = { apiKey, zipcode: '1', city: 'x', country }
    for (const path of ['/api/lookup', '/api/metacode'])
      t.same(await errorOf(path, body), [404, 'ZIP code not found'], `${path} ${country}`)
    t.same(await errorOf('/api/city', body), [404, noCity], country)
    t.match((await post(baseUrl, '/api/validate', body)).json, { valid: false }, country)
    const records = [{ postalCode: '1', countryCode: country }]
    const bulk = await post(baseUrl, '/api/validate-bulk', { apiKey, records })
    t.equal(bulk.json.results[0].reason, 'unknown_country', country)
  }
})

const ABOUT = ['/api/aboutapi']
const BALANCE = ['/api/balance']
/** A well-formed key that does not exist. */
const UNKNOWN_KEY = 'pk_live_0000000000000000000000000000000hLQIq'
const US = { postalCode: '90210', countryCode: 'US' }
/** Body for any endpoint. Each row changes or leaves out a field. */
const whole = { apiKey, zipcode: '90210', city: 'Beverly Hills', ST: 'CA', records: [US] }

type Row = [status: number, text: string, paths: readonly string[], ...bodies: object[]]
const without = (field: keyof typeof whole) => ({ ...whole, [field]: undefined })
const withRecord = (record: unknown) => ({ ...whole, records: [US, record] })

const ROWS: readonly Row[] = [
  [400, 'Missing required field: zipcode', CODE_PATHS, without('zipcode')],
  [400, "Missing 'state' or 'ST' in request body", ['/api/city'], without('ST')],
  [
    400,
    'Missing required field: records (must be an array)',
    BULK_PATHS,
    without('records'),
    { ...whole, records: { 0: US } },
  ],
  [400, 'records array must contain at least 1 record', BULK_PATHS, { ...whole, records: [] }],
  [
    400,
    'records[1].postalCode must be a non-empty string',
    BULK_PATHS,
    withRecord({ countryCode: 'US' }),
    withRecord({ postalCode: '', countryCode: 'US' }),
    withRecord({ postalCode: 90210, countryCode: 'US' }),
    withRecord(null),
  ],
  [
    400,
    'records[1].countryCode must be a 2-letter ISO 3166-1 alpha-2 code',
    BULK_PATHS,
    withRecord({ postalCode: '1' }),
    withRecord({ ...US, countryCode: 'USA' }),
  ],
  [
    401,
    'Invalid API key',
    [...RECORD_PATHS, ...BULK_PATHS, ...ABOUT, ...BALANCE],
    { ...whole, apiKey: UNKNOWN_KEY },
    { ...whole, apiKey: 'x' },
  ],
  [404, 'ZIP code not found', CODE_PATHS.slice(0, 3), { ...whole, zipcode: '00000' }],
  [404, 'No ZIP codes found for the given city/state', ['/api/city'], { ...whole, city: 'Qwertyuiopolis' }],
]

for (const [status, error, paths, ...bodies] of ROWS) {
  t.test(`${status} ${error}`, t => expectAll(t, paths, bodies, status, error))
}

/** Sends every body to every path at once: many failed keys are answered late. */
async function expectAll(
  t: Test,
  paths: readonly string[],
  bodies: readonly object[],
  status: number,
  error: string,
): Promise<void> {
  const asked = paths.flatMap(path =>
    bodies.map(async body => [path, await post(baseUrl, path, body)] as const),
  )
  for (const [path, answer] of await Promise.all(asked)) {
    t.equal(answer.status, status, path)
    t.same(answer.json, { error }, path)
  }
}

async function keyFor(
  { operator }: Target,
  given: string | undefined,
  make: 'empty' | 'revoked' | 'limited',
) {
  if (given !== undefined || operator === undefined) return given
  const { id, keyId, key } = await operator.open()
  if (make === 'revoked') await operator.revoke(keyId)
  if (make === 'empty') await post(baseUrl, BULK_PATHS[0], { apiKey: key, records: new Array(1000).fill(US) })
  if (make === 'limited') {
    await operator.limit(id, { perDay: 1 })
    await post(baseUrl, '/api/validate', { ...whole, apiKey: key })
  }
  return key
}

const available = (key: string | undefined) => (key === undefined ? needsOperator(target) : {})

t.test('a revoked key is refused with 401', available(target.revokedKey), async t => {
  const key = await keyFor(target, target.revokedKey, 'revoked')
  await expectAll(t, [...RECORD_PATHS, ...BULK_PATHS], [{ ...whole, apiKey: key }], 401, 'Invalid API key')
})

t.test('an empty balance is refused with 402', available(target.emptyKey), async t => {
  const key = await keyFor(target, target.emptyKey, 'empty')
  for (const path of [...RECORD_PATHS, ...BULK_PATHS]) {
    const answer = await post(baseUrl, path, { ...whole, apiKey: key })
    const error = BULK_PATHS.includes(path) ? 'Insufficient balance for bulk request' : 'Insufficient balance'
    t.equal(answer.status, 402, path)
    t.match(answer.json, { error, currentBalance: /^\$0\.00\d\d$/, message: /\S+ .*funds.*\.$/ }, path)
    t.same(Object.keys(answer.json), ['error', 'currentBalance', 'message'], path)
  }
  t.equal((await post(baseUrl, ABOUT[0], { apiKey: key })).status, 200, 'aboutapi is free')
  t.equal((await post(baseUrl, BALANCE[0], { apiKey: key })).status, 200, 'balance is free')
})

t.test('a used-up limit is refused with 429', available(target.limitedKey), async t => {
  const key = await keyFor(target, target.limitedKey, 'limited')
  for (const path of [...RECORD_PATHS, ...BULK_PATHS]) {
    const answer = await post(baseUrl, path, { ...whole, apiKey: key })
    const error = BULK_PATHS.includes(path)
      ? 'Rate limit would be exceeded by this bulk request'
      : 'Rate limit exceeded'
    t.equal(answer.status, 429, path)
    t.same(Object.keys(answer.json), ['error', 'retryAfter'], path)
    t.equal(answer.json.error, error, path)
    t.ok(Number.isInteger(answer.json.retryAfter) && answer.json.retryAfter >= 1, path)
    t.equal(answer.headers.get('retry-after'), String(answer.json.retryAfter), `${path}: Retry-After`)
  }
})

interface Sent {
  client: string
  path: string
  headers?: Record<string, string>
  /** Pieces of the body; several are sent without a length. `KEY` stands for the key. */
  body: readonly string[]
  expected: object
}

/** Headers of Python's requests with `json=`. */
const PYTHON = {
  'User-Agent': 'python-requests/2.32.3',
  'Accept-Encoding': 'gzip, deflate',
  Accept: '*/*',
  Connection: 'keep-alive',
  'Content-Type': 'application/json',
}
/** Headers of axios with an object. */
const AXIOS = {
  Accept: 'application/json, text/plain, */*',
  'Content-Type': 'application/json',
  'User-Agent': 'axios/1.7.9',
  'Accept-Encoding': 'gzip, compress, deflate, br',
}
/** Headers of Node.js's fetch with a text. */
const UNDICI = {
  Accept: '*/*',
  'Accept-Language': '*',
  'Sec-Fetch-Mode': 'cors',
  'User-Agent': 'node',
  'Accept-Encoding': 'gzip, deflate',
  'Content-Type': 'text/plain;charset=UTF-8',
}
/** Headers of automation connectors. Connectors send every field of a form, also empty ones. */
const CONNECTOR = {
  'Content-Type': 'application/json; charset=utf-8',
  Accept: 'application/json',
  'User-Agent': 'Zapier',
}

const BEVERLY_HILLS = { city: 'Beverly Hills', state: 'California', ST: 'CA', latitude: 34.0901 }

const REQUESTS: readonly Sent[] = [
  {
    client: 'Python SDK, lookup with options that are None',
    path: '/api/lookup',
    headers: PYTHON,
    body: ['{"zipcode": "90210", "apiKey": "KEY", "country": null}'],
    expected: BEVERLY_HILLS,
  },
  {
    client: 'Python SDK, a city with escaped letters',
    path: '/api/city',
    headers: PYTHON,
    body: ['{"apiKey": "KEY", "city": "M\\u00fcnchen", "state": null, "ST": null, "country": "de"}'],
    expected: { zipcodes: Array },
  },
  {
    client: 'Node SDK, bulk',
    path: '/api/validate-bulk',
    headers: AXIOS,
    body: [
      '{"apiKey":"KEY","records":[{"postalCode":"90210","countryCode":"us"},{"postalCode":"FOO99","countryCode":"US"}]}',
    ],
    expected: {
      results: [
        { postalCode: '90210', countryCode: 'US', valid: true, normalized: '90210', reason: null },
        { postalCode: 'FOO99', countryCode: 'US', valid: false, normalized: null, reason: 'not_found' },
      ],
      totalCost: 0.000056,
    },
  },
  {
    client: 'fetch with a text of another content type',
    path: '/api/lookup',
    headers: UNDICI,
    body: ['{"zipcode":"90210","apiKey":"KEY"}'],
    expected: BEVERLY_HILLS,
  },
  {
    client: 'a connector, empty optional fields',
    path: '/api/lookup',
    headers: CONNECTOR,
    body: ['{"zipcode":"90210","country":"","state":"","ST":"","apiKey":"KEY"}'],
    expected: BEVERLY_HILLS,
  },
  {
    client: '.NET, which sends JSON in chunks',
    path: '/api/lookup',
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: ['{"zipcode":"902', '10","apiKey":"KEY"', ',"country":"US"}'],
    expected: BEVERLY_HILLS,
  },
  {
    client: 'PHP, which escapes slashes and sends no content type',
    path: '/api/lookup',
    body: ['{"zipcode":"90210","apiKey":"KEY","source":"https:\\/\\/example.com\\/"}'],
    expected: BEVERLY_HILLS,
  },
]

/** Sends a body in its pieces, which `fetch` does not. */
function sendPieces({ path, headers, body }: Sent): Promise<IncomingMessage> {
  const pieces = body.map(piece => piece.replace('KEY', apiKey))
  const length = pieces.length === 1 ? { 'Content-Length': String(Buffer.byteLength(pieces[0])) } : {}
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { ...headers, ...length } }
    const sent = request(new URL(path, baseUrl), options, resolve)
    sent.once('error', reject)
    for (const piece of pieces) sent.write(piece)
    sent.end()
  })
}

t.test('every client of the hosted service gets the answer that it expects', async t => {
  for (const sent of REQUESTS) {
    const answer = await sendPieces(sent)
    t.equal(answer.statusCode, 200, sent.client)
    t.match(answer.headers['content-type'], /^application\/json/)
    t.equal(answer.headers['content-encoding'], undefined, 'every client can read the encoding')
    t.match(await json(answer), sent.expected, sent.client)
  }
})

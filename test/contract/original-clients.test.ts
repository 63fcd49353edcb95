/** Requests of the hosted service's clients, byte by byte. Only the address differs. */
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { openTarget } from './target.ts'

const { baseUrl, key } = await openTarget(t)

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

function send({ path, headers, body }: Sent): Promise<IncomingMessage> {
  const pieces = body.map(piece => piece.replace('KEY', key))
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
    const answer = await send(sent)
    t.equal(answer.statusCode, 200, sent.client)
    t.match(answer.headers['content-type'], /^application\/json/)
    t.equal(answer.headers['content-encoding'], undefined, 'every client can read the encoding')
    t.match(await json(answer), sent.expected, sent.client)
  }
})

/**
 * Requests as the clients of the hosted service send them, byte by byte: its Python and Node SDKs, automation connectors, its MCP
 * server, and the HTTP libraries that people use by hand. Only the address differs.
 */
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { openTarget } from './target.ts'

const { baseUrl, key } = await openTarget(t)

interface Sent {
  who: string
  path: string
  headers?: Record<string, string>
  /** Sent in these pieces, without a length when there are several. `KEY` stands for the key. Without a body it is a GET. */
  body?: readonly string[]
  /** Fields of the answer. */
  has: object
}

/** Headers of Python's requests with `json=`. */
const PYTHON = {
  'User-Agent': 'python-requests/2.32.3',
  'Accept-Encoding': 'gzip, deflate',
  Accept: '*/*',
  Connection: 'keep-alive',
  'Content-Type': 'application/json',
}
/** Headers of axios for an object. */
const AXIOS = {
  Accept: 'application/json, text/plain, */*',
  'Content-Type': 'application/json',
  'User-Agent': 'axios/1.7.9',
  'Accept-Encoding': 'gzip, compress, deflate, br',
}
/** Headers of fetch of Node.js for a text. */
const UNDICI = {
  Accept: '*/*',
  'Accept-Language': '*',
  'Sec-Fetch-Mode': 'cors',
  'User-Agent': 'node',
  'Accept-Encoding': 'gzip, deflate',
  'Content-Type': 'text/plain;charset=UTF-8',
}
/** Headers of automation connectors, which send every field of a form, filled or not. */
const CONNECTOR = {
  'Content-Type': 'application/json; charset=utf-8',
  Accept: 'application/json',
  'User-Agent': 'Zapier',
}

const BEVERLY_HILLS = { city: 'Beverly Hills', state: 'California', ST: 'CA', latitude: 34.0901 }

const REQUESTS: readonly Sent[] = [
  {
    who: 'Python SDK, lookup with options that are None',
    path: '/api/lookup',
    headers: PYTHON,
    body: ['{"zipcode": "90210", "apiKey": "KEY", "country": null}'],
    has: BEVERLY_HILLS,
  },
  {
    who: 'Python SDK, a city with escaped letters',
    path: '/api/city',
    headers: PYTHON,
    body: ['{"apiKey": "KEY", "city": "M\\u00fcnchen", "state": null, "ST": null, "country": "de"}'],
    has: { zipcodes: Array },
  },
  {
    who: 'Python SDK, the older name of metacode',
    path: '/api/metazip',
    headers: PYTHON,
    body: ['{"zipcode": "90210", "apiKey": "KEY"}'],
    has: { meta: { zipcode: '90210', city: 'Beverly Hills', stateAbbrev: 'CA' } },
  },
  {
    who: 'Node SDK, bulk',
    path: '/api/validate-bulk',
    headers: AXIOS,
    body: [
      '{"apiKey":"KEY","records":[{"postalCode":"90210","countryCode":"us"},{"postalCode":"FOO99","countryCode":"US"}]}',
    ],
    has: {
      results: [
        { postalCode: '90210', countryCode: 'US', valid: true, normalized: '90210', reason: null },
        { postalCode: 'FOO99', countryCode: 'US', valid: false, normalized: null, reason: 'not_found' },
      ],
      totalCost: 0.000056,
    },
  },
  {
    who: 'fetch with a text, which is not called JSON',
    path: '/api/lookup',
    headers: UNDICI,
    body: ['{"zipcode":"90210","apiKey":"KEY"}'],
    has: BEVERLY_HILLS,
  },
  {
    who: "a connector's test of its connection",
    path: '/api/balance',
    headers: CONNECTOR,
    body: ['{"apiKey":"KEY"}'],
    has: { balance: Number, performance: { totalTime: /^\d+ms$/ } },
  },
  {
    who: 'a connector, a form whose optional fields are empty',
    path: '/api/lookup',
    headers: CONNECTOR,
    body: ['{"zipcode":"90210","country":"","state":"","ST":"","apiKey":"KEY"}'],
    has: BEVERLY_HILLS,
  },
  {
    who: 'a connector, the code of a state where its name belongs',
    path: '/api/city',
    headers: CONNECTOR,
    body: ['{"city":"Beverly Hills","state":"CA","ST":"","country":"US","apiKey":"KEY"}'],
    has: { zipcodes: Array },
  },
  {
    who: 'the MCP server, keeping its connection warm',
    path: '/api/lookup',
    headers: { Accept: 'application/json' },
    has: { status: 'warm' },
  },
  {
    who: 'the MCP server, what the service is',
    path: '/api/aboutapi',
    headers: AXIOS,
    body: ['{"apiKey":"KEY"}'],
    has: { About: String, version: '2.0.0', coverage: String, usage: String, balance: Number },
  },
  {
    who: '.NET, which sends JSON in chunks',
    path: '/api/lookup',
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: ['{"zipcode":"902', '10","apiKey":"KEY"', ',"country":"US"}'],
    has: BEVERLY_HILLS,
  },
  {
    who: 'PHP, which escapes slashes and sends no content type',
    path: '/api/lookup',
    body: ['{"zipcode":"90210","apiKey":"KEY","source":"https:\\/\\/example.com\\/"}'],
    has: BEVERLY_HILLS,
  },
]

function send({ path, headers, body }: Sent): Promise<IncomingMessage> {
  const pieces = body?.map(piece => piece.replace('KEY', key)) ?? []
  const length = pieces.length === 1 ? { 'Content-Length': String(Buffer.byteLength(pieces[0])) } : {}
  const method = body === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, baseUrl), { method, headers: { ...headers, ...length } }, resolve)
    sent.once('error', reject)
    for (const piece of pieces) sent.write(piece)
    sent.end()
  })
}

t.test('each is answered as its client expects', async t => {
  for (const sent of REQUESTS) {
    const answer = await send(sent)
    t.equal(answer.statusCode, 200, sent.who)
    t.match(answer.headers['content-type'], /^application\/json/)
    t.equal(answer.headers['content-encoding'], undefined, 'what every client can read')
    t.match(await json(answer), sent.has, sent.who)
  }
})

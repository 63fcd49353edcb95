import fc from 'fast-check'
import t from 'tap'
import { BULK_RECORDS_MAX } from '../../../src/platform/limits.ts'
import { PostalCodes } from '../../../src/postal/library/postal-codes.ts'
import type { ErrorCode } from '../../../src/service/errors.ts'
import { AnswerMaker } from '../../../src/service/workers/answer-maker.ts'
import type { Made } from '../../../src/service/workers/made.ts'
import { RecordScanner } from '../../../src/service/workers/record-scanner.ts'
import { RecordWriter } from '../../../src/service/workers/record-writer.ts'
import { fixtureIndex } from '../../support/fixture-index.ts'
import { BODIES, damagedBody, objectText, parseObject, valueText } from '../../support/json-bodies.ts'

const index = fixtureIndex(t.testdir())
const codes = new PostalCodes(index)
const scanner = new RecordScanner(new RecordWriter(index))
const reader = new AnswerMaker(index)

const COUNTRY_CODE = /^[A-Za-z]{2}$/

interface ParsedBatch {
  apiKey: string
  error: ErrorCode | null
  record?: number
  results?: unknown[]
}

function parseBatch(body: Uint8Array): ParsedBatch {
  const value = parseObject(body)
  if (value === undefined) return { error: 'INVALID_JSON', apiKey: '' }
  const { records } = value
  const apiKey = typeof value.apiKey === 'string' ? value.apiKey : ''
  const malformed = (error: ErrorCode, record?: number) => ({ error, record, apiKey })
  if (!Array.isArray(records)) return malformed('MISSING_RECORDS')
  if (records.length === 0) return malformed('EMPTY_RECORDS')
  if (records.length > BULK_RECORDS_MAX) return malformed('TOO_MANY_RECORDS')
  const results: unknown[] = []
  for (const [i, record] of records.entries()) {
    const { postalCode, countryCode } = isObject(record) ? record : {}
    if (typeof postalCode !== 'string' || postalCode === '') return malformed('RECORD_POSTAL_CODE', i)
    if (typeof countryCode !== 'string' || !COUNTRY_CODE.test(countryCode))
      return malformed('RECORD_COUNTRY_CODE', i)
    results.push({
      postalCode,
      countryCode: countryCode.toUpperCase(),
      ...codes.check(postalCode, countryCode),
    })
  }
  return { error: null, apiKey, results }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function read(body: Uint8Array): Made {
  return reader.read('validate-bulk', body)
}

interface Verdict {
  postalCode: string
  countryCode: string
}

function toPlain(result: Made): string {
  const apiKey = Buffer.from(result.apiKey).toString()
  if (result.error !== null) return JSON.stringify([result.error, result.record, apiKey])
  return JSON.stringify([null, validResults(result), apiKey])
}

function expectedPlain(body: Uint8Array): string {
  const { error, record, results, apiKey } = parseBatch(body)
  // UTF-8 replaces a lone surrogate.
  return JSON.stringify([error, error === null ? results : record, Buffer.from(apiKey).toString()])
}

function validResults(result: Made): Verdict[] {
  if (result.error !== null) throw new Error(`a valid batch was refused: ${result.error}`)
  const { results } = JSON.parse(`${Buffer.from(result.bytes.subarray(0, result.length))}}`)
  if (results.length !== result.count)
    throw new Error(`${results.length} results are counted as ${result.count}`)
  return results
}

const text = (...texts: string[]) => fc.constantFrom(...texts).map(value => JSON.stringify(value))
const names = (...texts: string[]) =>
  fc.oneof({ weight: 8, arbitrary: text(...texts) }, text('other', '', 'é'))

const plainRecord = fc
  .tuple(
    fc.constantFrom(...'90210|90210-1234|SW1A 1AA|lv-1001|00001|?||FOO99|12345678901|  '.split('|')),
    fc.constantFrom('US', 'us', 'GB', 'uk', 'LV', 'PL', 'ZZ', 'NF', 'U', 'USA', 'U1', '', 'É'),
  )
  .map(([postalCode, countryCode]) => JSON.stringify({ postalCode, countryCode }))
const goodRecord = fc
  .constantFrom('90210', 'SW1A-1AA', '?')
  .map(postalCode => `{"postalCode": "${postalCode}","countryCode":"US"}`)
const record = fc.oneof(
  { weight: 40, arbitrary: goodRecord },
  { weight: 8, arbitrary: plainRecord },
  objectText(names('postalCode', 'countryCode'), fc.oneof(valueText, text('90210', 'US')), 3),
  valueText,
)
const records = fc.array(record, { maxLength: 6 }).map(list => `[${list.join(',')}]`)
const batch = fc
  .tuple(
    fc.constantFrom('"apiKey":"key",', '"apiKey":"key",', '"apiKey":"",', '"apiKey":1,', '"x":1,', ''),
    records,
  )
  .map(([key, list]) => `{${key}"records":${list}}`)
const bodies = damagedBody(
  fc.oneof(
    { weight: 6, arbitrary: batch },
    {
      weight: 3,
      arbitrary: objectText(
        names('apiKey', 'records'),
        fc.oneof(records, records, valueText, text('key')),
        4,
      ),
    },
    valueText,
  ),
)

t.test('the scanner reads every body as JSON.parse does', async t => {
  let valid = 0
  let answered = 0
  fc.assert(
    fc.property(bodies, body => {
      const scanned = read(body)
      if (scanned.error !== 'INVALID_JSON') valid++
      if (scanned.error === null) answered++
      return toPlain(scanned) === expectedPlain(body)
    }),
    { numRuns: BODIES, seed: 1 },
  )
  t.ok(valid > BODIES / 4 && answered > BODIES / 20, `${valid} of ${BODIES} were JSON, ${answered} sound`)
})

t.test('a batch has 1 to 1,000 records', async t => {
  const body = (count: number, record = '{"postalCode":"90210","countryCode":"US"}') =>
    Buffer.from(`{"apiKey":"k","records":[${new Array(count).fill(record).join(',')}]}`)
  t.match(scanner.scan(body(1000)), { error: null, count: 1000 })
  for (const count of [1001, 5000]) t.match(read(body(count)), { error: 'TOO_MANY_RECORDS' })
  const malformed = body(1001, '{"postalCode":""}')
  t.match(read(malformed), { error: 'TOO_MANY_RECORDS' }, 'the number of records is checked first')
})

t.test('the largest body fits the buffer', async t => {
  const postalCode = '\u007f'.repeat(1000)
  const list = new Array(1000).fill({ postalCode, countryCode: 'US' })
  const body = Buffer.from(JSON.stringify({ apiKey: 'k', records: list }))
  const result = scanner.scan(body)
  t.equal(result && validResults(result).length, 1000)
})

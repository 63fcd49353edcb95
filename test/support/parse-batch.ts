/** Reads a bulk body with `JSON.parse`: what `scan-batch.ts` must read the same. */
import type { BulkResult } from '../../src/bulk/bulk-result.ts'
import type { RecordWriter } from '../../src/bulk/record-writer.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { BULK_RECORDS_MAX } from '../../src/limits.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })
const COUNTRY_CODE = /^[A-Za-z]{2}$/
const NO_KEY = Buffer.alloc(0)

export function parseBatch(body: Uint8Array, writer: RecordWriter): BulkResult {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(body))
  } catch {
    return { error: 'INVALID_JSON', apiKey: NO_KEY }
  }
  if (!isObject(value)) return { error: 'INVALID_JSON', apiKey: NO_KEY }
  const { records } = value
  const apiKey = Buffer.from(typeof value.apiKey === 'string' ? value.apiKey : '')
  const malformed = (error: ErrorCode, record?: number): BulkResult => ({ error, record, apiKey })
  if (!Array.isArray(records)) return malformed('MISSING_RECORDS')
  if (records.length === 0) return malformed('EMPTY_RECORDS')
  if (records.length > BULK_RECORDS_MAX) return malformed('TOO_MANY_RECORDS')
  const texts: string[] = []
  for (const [i, record] of records.entries()) {
    const { postalCode, countryCode } = isObject(record) ? record : {}
    if (typeof postalCode !== 'string' || postalCode === '') return malformed('RECORD_POSTAL_CODE', i)
    if (typeof countryCode !== 'string' || !COUNTRY_CODE.test(countryCode))
      return malformed('RECORD_COUNTRY_CODE', i)
    texts.push(postalCode, JSON.stringify(postalCode).slice(1, -1), countryCode)
  }
  addRecords(texts, writer)
  const { bytes, length, count } = writer
  return { error: null, apiKey, count, bytes, length }
}

/** @param texts three for each record: its postal code, the same as it stands in a JSON string, and its country code */
function addRecords(texts: readonly string[], writer: RecordWriter): void {
  const parts = texts.map(text => Buffer.from(text))
  const source = Buffer.concat(parts)
  writer.begin()
  let codeStart = 0
  for (let i = 0; i < parts.length; i += 3) {
    const codeEnd = codeStart + parts[i].length
    const countryStart = codeEnd + parts[i + 1].length
    writer.add(source, codeStart, codeEnd, countryStart, codeEnd, countryStart)
    codeStart = countryStart + parts[i + 2].length
  }
  writer.finish(source)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a bulk body with `JSON.parse`: what `scan-batch.ts` must read the same. */

import { type BulkResult, bulkError } from '../../src/bulk/bulk-result.ts'
import type { RecordWriter } from '../../src/bulk/record-writer.ts'
import { BULK_RECORDS_MAX } from '../../src/limits.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const COUNTRY_CODE = /^[A-Za-z]{2}$/

export function parseBatch(body: Uint8Array, writer: RecordWriter): BulkResult {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(body))
  } catch {
    return bulkError('INVALID_JSON')
  }
  if (!isObject(value)) return bulkError('INVALID_JSON')
  const { apiKey, records } = value
  if (typeof apiKey !== 'string' || apiKey === '') return bulkError('MISSING_API_KEY')
  if (!Array.isArray(records)) return bulkError('MISSING_RECORDS')
  if (records.length === 0) return bulkError('EMPTY_RECORDS')
  if (records.length > BULK_RECORDS_MAX) return bulkError('TOO_MANY_RECORDS')
  const texts: string[] = []
  for (const [i, record] of records.entries()) {
    const { postalCode, countryCode } = isObject(record) ? record : {}
    if (typeof postalCode !== 'string' || postalCode === '') return bulkError('RECORD_POSTAL_CODE', i)
    if (typeof countryCode !== 'string' || !COUNTRY_CODE.test(countryCode))
      return bulkError('RECORD_COUNTRY_CODE', i)
    texts.push(postalCode, JSON.stringify(postalCode).slice(1, -1), countryCode)
  }
  addRecords(texts, writer)
  const { bytes, length, count } = writer
  return { error: null, isPacked: false, count, apiKey: Buffer.from(apiKey), bytes, length }
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
    writer.add({ codeStart, codeEnd, countryStart }, source, codeEnd, countryStart)
    codeStart = countryStart + parts[i + 2].length
  }
  writer.finish(source)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

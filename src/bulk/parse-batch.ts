/** Reads a bulk body with `JSON.parse`: for the bodies that `scan-batch.ts` leaves to it. */
import { BULK_RECORDS_MAX } from '../limits.ts'
import { type BulkResult, bulkError } from './bulk-result.ts'
import type { RecordWriter } from './record-writer.ts'

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
  writer.begin()
  for (const [i, record] of records.entries()) {
    const { postalCode, countryCode } = isObject(record) ? record : {}
    if (typeof postalCode !== 'string' || postalCode === '') return bulkError('RECORD_POSTAL_CODE', i)
    if (typeof countryCode !== 'string' || !COUNTRY_CODE.test(countryCode))
      return bulkError('RECORD_COUNTRY_CODE', i)
    const code = Buffer.from(postalCode)
    const echo = Buffer.from(JSON.stringify(postalCode).slice(1, -1))
    writer.add(
      code,
      0,
      code.length,
      echo,
      0,
      echo.length,
      countryCode.charCodeAt(0),
      countryCode.charCodeAt(1),
    )
    writer.flush(echo)
  }
  writer.end()
  const { bytes, length, count } = writer
  return { error: null, count, apiKey: Buffer.from(apiKey), bytes, length }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

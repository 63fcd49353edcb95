/** Reads and answers a bulk body by `JSON.parse` and the library: what the scanner and its writer must answer the same. */
import type { ErrorCode } from '../../src/errors.ts'
import type { PostalCodes } from '../../src/library/postal-codes.ts'
import { BULK_RECORDS_MAX } from '../../src/limits.ts'
import { parseObject } from './json-bodies.ts'

const COUNTRY_CODE = /^[A-Za-z]{2}$/

/** The key, and the results or what is wrong. */
export interface ParsedBatch {
  apiKey: string
  error: ErrorCode | null
  record?: number
  results?: unknown[]
}

export function parseBatch(body: Uint8Array, codes: PostalCodes): ParsedBatch {
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

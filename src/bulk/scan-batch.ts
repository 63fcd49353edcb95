/**
 * Reads the body of validate-bulk in one pass over its bytes, handing each record to the writer as it is found. It takes what
 * `JSON.parse` takes and reads the same; a property test holds it to that.
 */
import { isUtf8 } from 'node:buffer'
import type { ErrorCode } from '../errors.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import { viewOf } from '../text/bytes.ts'
import {
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COMMA,
  isLetter,
  markEnd,
  spaceEnd,
} from '../text/json-bytes.ts'
import {
  type MemberSlots,
  memberNames,
  OTHER,
  STRING,
  scanMembers,
  slotsFor,
  textOf,
} from '../text/json-members.ts'
import { valueEnd } from '../text/json-values.ts'
import type { BulkResult } from './bulk-result.ts'
import type { RecordWriter } from './record-writer.ts'

const BATCH_MEMBERS = memberNames('apiKey', 'records')
const API_KEY = 0
const RECORDS = 1
const RECORD_MEMBERS = memberNames('postalCode', 'countryCode')
const CODE = 0
const COUNTRY = 1
const NO_KEY = new Uint8Array(0)
const INVALID_JSON: BulkResult = { error: 'INVALID_JSON', apiKey: NO_KEY }

/** Scans one body at a time. It is used again, so that a record costs no object. */
export class BatchScanner {
  readonly #writer: RecordWriter
  readonly #outer: MemberSlots = slotsFor(BATCH_MEMBERS, (number, start) => this.#other(number, start))
  readonly #record: MemberSlots = slotsFor(RECORD_MEMBERS)
  #body: Uint8Array = NO_KEY
  #view: DataView = viewOf(NO_KEY)
  #isArray = false
  #count = 0
  /** The first record that is malformed. */
  #error: ErrorCode | null = null
  #errorRecord = -1

  constructor(writer: RecordWriter) {
    this.#writer = writer
  }

  scan(body: Uint8Array): BulkResult {
    const outer = this.#outer
    this.#body = body
    this.#view = viewOf(body)
    const brace = spaceEnd(body, markEnd(body))
    if (brace >= body.length || body[brace] !== BRACE_OPEN) return INVALID_JSON
    const end = scanMembers(body, this.#view, brace + 1, BATCH_MEMBERS, outer)
    if (end < 0 || spaceEnd(body, end) !== body.length || !isUtf8(body)) return INVALID_JSON
    const apiKey = textOf(body, outer, API_KEY)
    if (outer.kinds[RECORDS] !== OTHER || !this.#isArray) return { error: 'MISSING_RECORDS', apiKey }
    if (this.#count === 0) return { error: 'EMPTY_RECORDS', apiKey }
    if (this.#count > BULK_RECORDS_MAX) return { error: 'TOO_MANY_RECORDS', apiKey }
    if (this.#error !== null) return { error: this.#error, record: this.#errorRecord, apiKey }
    this.#writer.finish(body)
    const { bytes, length, count } = this.#writer
    return { error: null, apiKey, count, bytes, length }
  }

  /** Reads a member that is neither text nor number. Records replace those of an earlier member. @returns where it ends, or -1 */
  #other(member: number, start: number): number {
    const body = this.#body
    if (member === RECORDS) this.#isArray = body[start] === BRACKET_OPEN
    if (member !== RECORDS || !this.#isArray) return valueEnd(body, start)
    this.#writer.begin()
    this.#count = 0
    this.#error = null
    let at = spaceEnd(body, start + 1)
    if (at < body.length && body[at] === BRACKET_CLOSE) return at + 1
    for (;;) {
      at = this.#readRecord(at)
      if (at < 0) return -1
      at = spaceEnd(body, at)
      if (at >= body.length) return -1
      if (body[at] === BRACKET_CLOSE) return at + 1
      if (body[at] !== COMMA) return -1
      at = spaceEnd(body, at + 1)
    }
  }

  /** Reads the record at `start`, of any type. @returns where it ends, or -1 */
  #readRecord(start: number): number {
    const isObject = start < this.#body.length && this.#body[start] === BRACE_OPEN
    const end = isObject
      ? scanMembers(this.#body, this.#view, start + 1, RECORD_MEMBERS, this.#record)
      : valueEnd(this.#body, start)
    if (end >= 0) this.#take(isObject)
    return end
  }

  /** Hands the record on, or notes that it is malformed. Past the limit only the count matters. */
  #take(isObject: boolean): void {
    const record = this.#count++
    if (this.#error !== null || record >= BULK_RECORDS_MAX) return
    const { kinds, starts, ends, different } = this.#record
    const codeStart = starts[CODE]
    const codeEnd = ends[CODE]
    if (!isObject || kinds[CODE] !== STRING || codeEnd === codeStart)
      return this.#malformed('RECORD_POSTAL_CODE', record)
    if (kinds[COUNTRY] !== STRING) return this.#malformed('RECORD_COUNTRY_CODE', record)
    if (different !== 0) return this.#takeWritten(record)
    const countryStart = starts[COUNTRY]
    if (isCountry(this.#body, countryStart, ends[COUNTRY]))
      this.#writer.add(this.#body, codeStart, codeEnd, countryStart, codeStart, codeEnd)
    else this.#malformed('RECORD_COUNTRY_CODE', record)
  }

  /** Hands on a record with escapes. */
  #takeWritten(record: number): void {
    const body = this.#body
    const { starts, ends } = this.#record
    const code = textOf(body, this.#record, CODE)
    const texts = Buffer.concat([code, textOf(body, this.#record, COUNTRY)])
    if (isCountry(texts, code.length, texts.length))
      this.#writer.add(texts, 0, code.length, code.length, starts[CODE], ends[CODE])
    else this.#malformed('RECORD_COUNTRY_CODE', record)
  }

  #malformed(error: ErrorCode, record: number): void {
    this.#error = error
    this.#errorRecord = record
  }
}

function isCountry(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === 2 && isLetter(bytes[start]) && isLetter(bytes[start + 1])
}

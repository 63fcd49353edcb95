/**
 * Reads a bulk body in one pass over its bytes, handing each record to the writer as it is found. Like `scanFields`, it takes
 * what nearly every client sends and leaves the rest, right or wrong, to `JSON.parse` (`parse-batch.ts`); a property
 * test holds both to the same answer.
 */
import type { ErrorCode } from '../errors.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import { BRACE_CLOSE, BRACE_OPEN, BRACKET_CLOSE, BRACKET_OPEN } from '../text/json-bytes.ts'
import { type BulkResult, bulkError } from './bulk-result.ts'
import { JsonCursor } from './json-cursor.ts'
import { RecordShape, type RecordSpans } from './record-shape.ts'
import type { RecordWriter } from './record-writer.ts'

const API_KEY = Buffer.from('apiKey')
const RECORDS = Buffer.from('records')
const POSTAL_CODE = Buffer.from('postalCode')
const COUNTRY_CODE = Buffer.from('countryCode')

/** Scans one body at a time. It is reused, so that a record costs no object. */
export class BatchScanner {
  readonly #writer: RecordWriter
  readonly #cursor = new JsonCursor()
  readonly #shape = new RecordShape()
  readonly #spans: RecordSpans = { codeStart: 0, codeEnd: 0, countryStart: 0, countryEnd: 0, end: 0 }
  #view: DataView = new DataView(new ArrayBuffer(0))
  #error: ErrorCode | null = null
  #errorRecord = -1
  #count = 0

  constructor(writer: RecordWriter) {
    this.#writer = writer
  }

  /** The result for `body`, or undefined when `JSON.parse` has to read it. */
  scan(body: Uint8Array): BulkResult | undefined {
    const cursor = this.#cursor
    let apiKey: Uint8Array | undefined
    let hasRecords = false
    cursor.begin(body)
    this.#view = new DataView(body.buffer, body.byteOffset, body.length)
    if (!cursor.open(BRACE_OPEN)) return undefined
    do {
      if (!cursor.name()) return undefined
      if (cursor.nameIs(RECORDS)) {
        // In JSON.parse a second `records` replaces the first. That is too rare for a rule here.
        if (hasRecords || !this.#records()) return undefined
        hasRecords = true
      } else {
        const isKey = cursor.nameIs(API_KEY)
        if (!cursor.value()) return undefined
        if (isKey) apiKey = cursor.isText ? body.subarray(cursor.start, cursor.end) : undefined
      }
    } while (cursor.comma())
    if (!cursor.close(BRACE_CLOSE) || !cursor.atEnd()) return undefined
    if (apiKey === undefined || apiKey.length === 0) return bulkError('MISSING_API_KEY')
    if (!hasRecords) return bulkError('MISSING_RECORDS')
    if (this.#count === 0) return bulkError('EMPTY_RECORDS')
    if (this.#count > BULK_RECORDS_MAX) return bulkError('TOO_MANY_RECORDS')
    if (this.#error !== null) return bulkError(this.#error, this.#errorRecord)
    const { bytes, length, count } = this.#writer
    return { error: null, count, apiKey, bytes, length }
  }

  /** Reads the array. False when `JSON.parse` has to read it. */
  #records(): boolean {
    const cursor = this.#cursor
    this.#writer.begin(cursor.body)
    this.#error = null
    this.#count = 0
    if (!cursor.open(BRACKET_OPEN)) return false
    if (cursor.close(BRACKET_CLOSE)) return true
    do {
      if (!this.#record()) return false
    } while (cursor.comma())
    this.#writer.flush()
    this.#writer.end()
    return cursor.close(BRACKET_CLOSE)
  }

  #record(): boolean {
    const cursor = this.#cursor
    const spans = this.#spans
    if (!cursor.open(BRACE_OPEN)) return false
    const start = cursor.at
    if (this.#shape.read(cursor.body, this.#view, start, spans)) cursor.at = spans.end
    else if (!this.#readMembers(start)) return false
    this.#take()
    return true
  }

  /** Reads the members of a record that is not written as the first one of its batch is. */
  #readMembers(start: number): boolean {
    const cursor = this.#cursor
    const spans = this.#spans
    let members = 0
    let texts = 0
    spans.codeStart = spans.codeEnd = spans.countryStart = spans.countryEnd = 0
    do {
      if (!cursor.name()) return false
      const isCode = cursor.nameIs(POSTAL_CODE)
      const isCountry = !isCode && cursor.nameIs(COUNTRY_CODE)
      if (!cursor.value()) return false
      const { isText, start, end } = cursor
      members++
      if (isText) texts++
      if (isCode) {
        spans.codeStart = start
        spans.codeEnd = isText ? end : start
      } else if (isCountry) {
        spans.countryStart = start
        spans.countryEnd = isText ? end : start
      }
    } while (cursor.comma())
    if (!cursor.close(BRACE_CLOSE)) return false
    spans.end = cursor.at
    const isUsual = members === 2 && texts === 2 && spans.codeStart > 0 && spans.countryStart > 0
    if (isUsual && this.#count === 0) this.#shape.learn(cursor.body, start, spans)
    return true
  }

  /** Validates a record, or records the first one that is malformed. Past the limit only the count matters. */
  #take(): void {
    const record = this.#count++
    if (this.#error !== null || record >= BULK_RECORDS_MAX) return
    const { body } = this.#cursor
    const { codeStart, codeEnd, countryStart, countryEnd } = this.#spans
    if (codeEnd === codeStart) this.#malformed('RECORD_POSTAL_CODE', record)
    else if (
      countryEnd - countryStart !== 2 ||
      !isLetter(body[countryStart]) ||
      !isLetter(body[countryStart + 1])
    ) {
      this.#malformed('RECORD_COUNTRY_CODE', record)
    } else {
      this.#writer.add(this.#spans, codeStart, codeEnd)
    }
  }

  #malformed(error: ErrorCode, record: number): void {
    this.#error = error
    this.#errorRecord = record
  }
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

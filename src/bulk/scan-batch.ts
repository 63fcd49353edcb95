/**
 * Reads a bulk body in one pass over its bytes, handing each record to the writer as it is found. Like `scanFields`, it takes what
 * `JSON.parse` takes and reads the same; a property test holds it to that.
 */
import type { ErrorCode } from '../errors.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import { viewOf } from '../text/bytes.ts'
import { BRACE_CLOSE, BRACE_OPEN, BRACKET_CLOSE, BRACKET_OPEN } from '../text/json-bytes.ts'
import { putUnescaped } from '../text/json-escapes.ts'
import { MemberNames, type MemberSlots, STRING, scanMembers } from '../text/json-members.ts'
import { type BulkResult, bulkError } from './bulk-result.ts'
import { JsonCursor } from './json-cursor.ts'
import { RecordShape, type RecordSpans } from './record-shape.ts'
import type { RecordWriter } from './record-writer.ts'

const API_KEY = Buffer.from('apiKey')
const RECORDS = Buffer.from('records')
const RECORD_MEMBERS = new MemberNames(['postalCode', 'countryCode'])
const CODE = 0
const COUNTRY = 1

const SPACE = 0x20
const NO_KEY = new Uint8Array(0)

/** Scans one body at a time. It is reused, so that a record costs no object. */
export class BatchScanner {
  readonly #writer: RecordWriter
  readonly #cursor = new JsonCursor()
  readonly #shape = new RecordShape()
  readonly #spans: RecordSpans = {
    codeStart: 0,
    codeEnd: 0,
    countryStart: 0,
    countryEnd: 0,
    end: 0,
    isPlain: true,
  }
  #view: DataView = new DataView(new ArrayBuffer(0))
  #hasRecords = false
  readonly #members: MemberSlots = {
    kinds: new Uint8Array(2),
    starts: new Uint32Array(2),
    ends: new Uint32Array(2),
    different: 0,
    isPlain: true,
  }
  #texts = new Uint8Array(0)
  #error: ErrorCode | null = null
  #errorRecord = -1
  #count = 0

  constructor(writer: RecordWriter) {
    this.#writer = writer
  }

  scan(body: Uint8Array): BulkResult {
    const cursor = this.#cursor
    let apiKey: Uint8Array = NO_KEY
    cursor.begin(body)
    this.#view = viewOf(body)
    this.#hasRecords = false
    // Most malformed bodies are cut short. They are not read.
    if (!endsInBrace(body) || !cursor.open(BRACE_OPEN)) return bulkError('INVALID_JSON')
    if (!cursor.close(BRACE_CLOSE)) {
      do {
        if (!cursor.name()) return bulkError('INVALID_JSON')
        if (cursor.nameIs(RECORDS)) {
          if (!this.#records()) return bulkError('INVALID_JSON')
        } else {
          const isKey = cursor.nameIs(API_KEY)
          if (!cursor.value()) return bulkError('INVALID_JSON')
          if (isKey) apiKey = cursor.isText ? textOf(cursor) : NO_KEY
        }
      } while (cursor.comma())
      if (!cursor.close(BRACE_CLOSE)) return bulkError('INVALID_JSON')
    }
    if (!cursor.atEnd()) return bulkError('INVALID_JSON')
    if (apiKey.length === 0) return bulkError('MISSING_API_KEY')
    if (!this.#hasRecords) return bulkError('MISSING_RECORDS')
    if (this.#count === 0) return bulkError('EMPTY_RECORDS')
    if (this.#count > BULK_RECORDS_MAX) return bulkError('TOO_MANY_RECORDS')
    if (this.#error !== null) return bulkError(this.#error, this.#errorRecord)
    this.#writer.finish(body)
    const { bytes, length, count } = this.#writer
    return { error: null, count, apiKey, isPacked: false, bytes, length }
  }

  /** Reads the value of `records`, which replaces that of an earlier member of this name. False when it is not JSON. */
  #records(): boolean {
    const cursor = this.#cursor
    this.#writer.begin()
    this.#error = null
    this.#count = 0
    this.#hasRecords = cursor.open(BRACKET_OPEN)
    if (!this.#hasRecords) return cursor.value()
    if (cursor.close(BRACKET_CLOSE)) return true
    do {
      if (!this.#record()) return false
    } while (cursor.comma())
    return cursor.close(BRACKET_CLOSE)
  }

  #record(): boolean {
    const cursor = this.#cursor
    const spans = this.#spans
    const members = this.#members
    members.different = 0
    if (!cursor.open(BRACE_OPEN)) {
      spans.codeStart = spans.codeEnd = 0
      if (!cursor.value()) return false
    } else {
      const start = cursor.at
      if (this.#shape.read(cursor.body, this.#view, start, spans)) {
        cursor.at = spans.end
        if (!spans.isPlain) cursor.isPlain = false
      } else {
        cursor.at = scanMembers(cursor.body, this.#view, start, RECORD_MEMBERS, members)
        if (cursor.at < 0) return false
        if (!members.isPlain) cursor.isPlain = false
        this.#placeValues(start)
      }
    }
    this.#take()
    return true
  }

  /** Takes the places of the two values from `#members`. A value that is not a string has none. */
  #placeValues(start: number): void {
    const spans = this.#spans
    const { kinds, starts, ends, different } = this.#members
    const [hasCode, hasCountry] = [kinds[CODE] === STRING, kinds[COUNTRY] === STRING]
    spans.codeStart = starts[CODE]
    spans.codeEnd = hasCode ? ends[CODE] : starts[CODE]
    spans.countryStart = starts[COUNTRY]
    spans.countryEnd = hasCountry ? ends[COUNTRY] : starts[COUNTRY]
    spans.end = this.#cursor.at
    if (this.#count === 0 && hasCode && hasCountry && different === 0)
      this.#shape.learn(this.#cursor.body, start, spans)
  }

  /** Validates a record, or records the first one that is malformed. Past the limit only the count matters. */
  #take(): void {
    const record = this.#count++
    if (this.#error !== null || record >= BULK_RECORDS_MAX) return
    const spans = this.#spans
    const { codeStart, codeEnd } = spans
    if (codeEnd === codeStart) return this.#malformed('RECORD_POSTAL_CODE', record)
    const source = this.#members.different !== 0 ? this.#unescape() : this.#cursor.body
    const { countryStart, countryEnd } = spans
    const isCountry =
      countryEnd - countryStart === 2 && isLetter(source[countryStart]) && isLetter(source[countryStart + 1])
    if (isCountry) this.#writer.add(spans, source, codeStart, codeEnd)
    else this.#malformed('RECORD_COUNTRY_CODE', record)
  }

  /** Copies the two values of a record without their escapes. @returns where they are, as the record's spans then say */
  #unescape(): Uint8Array {
    const { body } = this.#cursor
    const spans = this.#spans
    const room = spans.codeEnd - spans.codeStart + spans.countryEnd - spans.countryStart
    if (this.#texts.length < room) this.#texts = new Uint8Array(room)
    const codeEnd = putUnescaped(body, spans.codeStart, spans.codeEnd, this.#texts, 0)
    const countryEnd = putUnescaped(body, spans.countryStart, spans.countryEnd, this.#texts, codeEnd)
    spans.codeStart = 0
    spans.codeEnd = spans.countryStart = codeEnd
    spans.countryEnd = countryEnd
    return this.#texts
  }

  #malformed(error: ErrorCode, record: number): void {
    this.#error = error
    this.#errorRecord = record
  }
}

/** Whether the last byte that is not white space closes an object. */
function endsInBrace(body: Uint8Array): boolean {
  let end = body.length
  while (end > 0 && body[end - 1] <= SPACE) end--
  return end > 0 && body[end - 1] === BRACE_CLOSE
}

/** The string that `cursor` has read, without escapes. */
function textOf({ body, start, end, isWritten }: JsonCursor): Uint8Array {
  if (!isWritten) return body.subarray(start, end)
  const text = new Uint8Array(end - start)
  return text.subarray(0, putUnescaped(body, start, end, text, 0))
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

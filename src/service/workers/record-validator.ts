/** Answers validate-bulk from the bytes of its body, without an object for a record. */

import { CodeQuery } from '../../postal/index/codes/code-query.ts'
import { copyWritten } from '../../postal/index/codes/written.ts'
import {
  countrySlot,
  firstLetter,
  NO_COUNTRY,
  NO_DATA,
  secondLetter,
  slotText,
} from '../../postal/index/country-table.ts'
import { type Piece, pieceOf, putPiece } from '../../postal/index/output.ts'
import { DETAILS, type Detail } from '../../postal/index/post-table.ts'
import { isoOf, type PostalIndex } from '../../postal/index/postal-index.ts'
import type { InvalidReason } from '../../postal/library/records.ts'
import { viewOf } from '../../postal/text/bytes.ts'
import {
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COMMA,
  type MemberSlots,
  memberNames,
  READ,
  STRING,
  scanMembers,
  scanObject,
  slotsFor,
  spaceEnd,
} from '../../postal/text/json.ts'
import { BULK_BODY_BYTES_MAX, BULK_RECORDS_MAX } from '../limits.ts'
import { TAIL_BYTES, type WorkerAnswer } from './worker-result.ts'

const BODY_MEMBERS = memberNames('apiKey', 'records')
const API_KEY = 0
const RECORDS = 1
const RECORD_MEMBERS = memberNames('postalCode', 'countryCode')
const CODE = 0
const COUNTRY = 1
const NOTHING = new Uint8Array(0)

const HEAD = pieceOf('{"results":[')
const POSTAL_CODE = pieceOf('{"postalCode":"')
const COUNTRY_CODE = pieceOf('","countryCode":"')
const VALID = pieceOf('","valid":true,"normalized":"')
const VALID_END = pieceOf('","reason":null}')
const NOT_FOUND = invalid('not_found')
const INVALID_FORMAT = invalid('invalid_format')
const UNKNOWN_COUNTRY = invalid('unknown_country')

/** Returns the ends of results for a reason, by detail; '' without one. */
function invalid(reason: InvalidReason): Readonly<Record<Detail | '', Piece>> {
  const piece = (detail = '') =>
    pieceOf(`","valid":false,"normalized":null,"reason":"${reason}"${detail && `,"detail":"${detail}"`}}`)
  const detailed = Object.fromEntries(DETAILS.map(detail => [detail, piece(detail)]))
  return { ...(detailed as Record<Detail, Piece>), '': piece() }
}

/** Bytes of a result besides its code. */
const RESULT_BYTES_MAX = 160
/** Bytes of the longest response. */
const BYTES = HEAD.bytes.length + BULK_RECORDS_MAX * RESULT_BYTES_MAX + BULK_BODY_BYTES_MAX + TAIL_BYTES

/** Reads the whole body before it validates the first record: a malformed one costs no look-up. */
export class RecordValidator {
  readonly #index: PostalIndex
  readonly #query = new CodeQuery()
  readonly #outer: MemberSlots = slotsFor(BODY_MEMBERS, (number, start) => this.#readRecords(number, start))
  readonly #record: MemberSlots = slotsFor(RECORD_MEMBERS)
  #body: Uint8Array = NOTHING
  #count = 0
  readonly #starts = new Uint32Array(BULK_RECORDS_MAX)
  readonly #ends = new Uint32Array(BULK_RECORDS_MAX)
  readonly #countries = new Uint16Array(BULK_RECORDS_MAX)
  readonly #out: Buffer = Buffer.alloc(BYTES)
  readonly #view = viewOf(this.#out)

  constructor(index: PostalIndex) {
    this.#index = index
  }

  /** Answers a bulk request; null if it is malformed or unusual. */
  validate(body: Uint8Array): WorkerAnswer | null {
    const { kinds, starts, ends } = this.#outer
    this.#body = body
    if (!scanObject(body, BODY_MEMBERS, this.#outer) || kinds[RECORDS] !== READ) return null
    const apiKey = kinds[API_KEY] === STRING ? body.subarray(starts[API_KEY], ends[API_KEY]) : NOTHING
    return { error: null, apiKey, count: this.#count, bytes: this.#out, length: this.#writeResults(body) }
  }

  /** Reads the records, which replace those of an earlier member. Returns their end, or -1. */
  #readRecords(member: number, start: number): number {
    const body = this.#body
    if (member !== RECORDS || body[start] !== BRACKET_OPEN) return -1
    this.#count = 0
    for (let at = start; ; ) {
      at = this.#readRecord(spaceEnd(body, at + 1))
      if (at < 0) return -1
      at = spaceEnd(body, at)
      if (at >= body.length) return -1
      if (body[at] === BRACKET_CLOSE) return at + 1
      if (body[at] !== COMMA) return -1
    }
  }

  #readRecord(start: number): number {
    const body = this.#body
    const record = this.#count
    if (start >= body.length || body[start] !== BRACE_OPEN || record === BULK_RECORDS_MAX) return -1
    const end = scanMembers(body, start + 1, RECORD_MEMBERS, this.#record)
    const { kinds, starts, ends } = this.#record
    if (end < 0 || kinds[CODE] !== STRING || kinds[COUNTRY] !== STRING) return -1
    if (ends[CODE] === starts[CODE] || ends[COUNTRY] - starts[COUNTRY] !== 2) return -1
    const slot = countrySlot(body[starts[COUNTRY]], body[starts[COUNTRY] + 1])
    if (slot < 0) return -1
    this.#starts[record] = starts[CODE]
    this.#ends[record] = ends[CODE]
    this.#countries[record] = slot
    this.#count++
    return end
  }

  /** Returns the end of the results. */
  #writeResults(body: Uint8Array): number {
    let at = putPiece(this.#view, 0, HEAD)
    for (let record = 0; record < this.#count; record++) {
      if (record > 0) this.#out[at++] = COMMA
      at = this.#writeResult(body, record, at)
    }
    this.#out[at++] = BRACKET_CLOSE
    return at
  }

  /** Writes the asked code and the result. Returns the end. */
  #writeResult(body: Uint8Array, record: number, start: number): number {
    const out = this.#out
    const slot = this.#countries[record]
    const codeStart = this.#starts[record]
    const codeEnd = this.#ends[record]
    let at = putPiece(this.#view, start, POSTAL_CODE)
    for (let i = codeStart; i < codeEnd; i++) out[at++] = body[i]
    at = putPiece(this.#view, at, COUNTRY_CODE)
    out[at++] = firstLetter(slot)
    out[at++] = secondLetter(slot)
    const index = this.#index
    const query = this.#query
    const country = index.countries.at(slot)
    if (country === NO_COUNTRY) return putPiece(this.#view, at, UNKNOWN_COUNTRY[''])
    const code = query.findBytes(index.trie, country, body, codeStart, codeEnd)
    const hasData = country !== NO_DATA
    if (hasData && code >= 0) {
      at = putPiece(this.#view, at, VALID)
      at = copyWritten(country, query, out, at)
      return putPiece(this.#view, at, VALID_END)
    }
    const wrongCode = query.length === 0 ? INVALID_FORMAT : NOT_FOUND
    const reason = hasData ? wrongCode : UNKNOWN_COUNTRY
    const cc = hasData ? country.cc : isoOf(index, slotText(slot))
    return putPiece(this.#view, at, reason[index.posts.detail(cc, query.text, hasData) ?? ''])
  }
}

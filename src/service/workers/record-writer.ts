/** Writes results of records as JSON, after the whole body is read: a malformed one costs no look-up. */

import { CodeQuery } from '../../postal/index/codes/find-code.ts'
import { copyWritten } from '../../postal/index/codes/written.ts'
import { countrySlot, firstLetter, secondLetter, slotText } from '../../postal/index/country-table.ts'
import { DETAILS, type Detail } from '../../postal/index/post-table.ts'
import { isoOf, type PostalIndex } from '../../postal/index/postal-index.ts'
import type { InvalidReason } from '../../postal/library/records.ts'
import { viewOf } from '../../postal/text/bytes.ts'
import { BRACKET_CLOSE, COMMA } from '../../postal/text/json-bytes.ts'
import { type Piece, pieceOf, putPiece } from '../../postal/text/piece.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import { TAIL_BYTES } from './worker-result.ts'

/** Maximum bytes of a bulk request: ten times 1,000 records with generous white space. */
export const BULK_BODY_BYTES_MAX = 1024 * 1024

const RESULT_BYTES_MAX = 160

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

/** Bytes of the longest response. */
const BYTES = HEAD.bytes.length + BULK_RECORDS_MAX * RESULT_BYTES_MAX + BULK_BODY_BYTES_MAX + TAIL_BYTES

export class RecordWriter {
  readonly bytes: Buffer = Buffer.alloc(BYTES)
  readonly #view = viewOf(this.bytes)
  length = 0
  count = 0
  readonly #index: PostalIndex
  readonly #query = new CodeQuery()
  readonly #starts = new Uint32Array(BULK_RECORDS_MAX)
  readonly #ends = new Uint32Array(BULK_RECORDS_MAX)
  readonly #slots = new Uint16Array(BULK_RECORDS_MAX)

  constructor(index: PostalIndex) {
    this.#index = index
  }

  begin(): void {
    this.count = 0
  }

  /** @param codeStart, codeEnd code in `body`, without escapes @param countryStart of two letters */
  add(body: Uint8Array, codeStart: number, codeEnd: number, countryStart: number): void {
    const record = this.count++
    this.#starts[record] = codeStart
    this.#ends[record] = codeEnd
    this.#slots[record] = countrySlot(body[countryStart], body[countryStart + 1])
  }

  finish(body: Uint8Array): void {
    let at = putPiece(this.#view, 0, HEAD)
    for (let record = 0; record < this.count; record++) {
      if (record > 0) this.bytes[at++] = COMMA
      at = this.#writeResult(body, record, at)
    }
    this.bytes[at++] = BRACKET_CLOSE
    this.length = at
  }

  /** Writes the asked code and the result. Returns the end. */
  #writeResult(body: Uint8Array, record: number, start: number): number {
    const out = this.bytes
    const slot = this.#slots[record]
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
    const code = query.findBytes(index.trie, country, body, codeStart, codeEnd)
    if (country && code >= 0) {
      const { symbols, keyStart, keyLength } = query
      at = putPiece(this.#view, at, VALID)
      at = copyWritten(country, symbols, keyStart, keyLength, out, at)
      return putPiece(this.#view, at, VALID_END)
    }
    if (country === undefined) return putPiece(this.#view, at, UNKNOWN_COUNTRY[''])
    const reason = country === null ? UNKNOWN_COUNTRY : query.length === 0 ? INVALID_FORMAT : NOT_FOUND
    const cc = country?.cc ?? isoOf(index, slotText(slot))
    return putPiece(this.#view, at, reason[index.posts.detail(cc, query.text, country !== null) ?? ''])
  }
}

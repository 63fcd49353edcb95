/**
 * Validates records and writes their results as JSON. They are looked up when all of the batch has been read, so that nothing is
 * done for a malformed one, and before the first result is written: the processor fetches for several look-ups of a tight loop
 * at the same time.
 */
import { CodeQuery } from '../index/codes/resolve.ts'
import { findCode } from '../index/codes/trie.ts'
import { copyWritten } from '../index/codes/written.ts'
import type { Country } from '../index/country.ts'
import { countrySlot, firstLetter, secondLetter, slotText } from '../index/country-table.ts'
import { DETAILS, type Detail } from '../index/post-table.ts'
import { isoOf, type PostalIndex } from '../index/postal-index.ts'
import { BULK_BODY_BYTES_MAX, BULK_RECORDS_MAX, CODE_LENGTH_MAX } from '../limits.ts'
import { utf8Text, viewOf } from '../text/bytes.ts'
import { putSymbols, putTextSymbols } from '../text/code.ts'
import { BRACKET_CLOSE, COMMA } from '../text/json-bytes.ts'
import { mayBePasted, withoutPasted } from '../text/pasted-code.ts'
import { type Piece, pieceOf, putPiece } from '../text/piece.ts'
import { TAIL_BYTES } from './bulk-result.ts'

const RESULT_BYTES_MAX = 160

const HEAD = pieceOf('{"results":[')
const POSTAL_CODE = pieceOf('{"postalCode":"')
const COUNTRY_CODE = pieceOf('","countryCode":"')
const VALID = pieceOf('","valid":true,"normalized":"')
const VALID_END = pieceOf('","reason":null}')
const NOT_FOUND = invalid('not_found')
const INVALID_FORMAT = invalid('invalid_format')
const UNKNOWN_COUNTRY = invalid('unknown_country')

/** Ends of the results for a reason, by what more is known; '' for nothing. */
function invalid(reason: string): Readonly<Record<Detail | '', Piece>> {
  const piece = (detail = '') =>
    pieceOf(`","valid":false,"normalized":null,"reason":"${reason}"${detail && `,"detail":"${detail}"`}}`)
  const detailed = Object.fromEntries(DETAILS.map(detail => [detail, piece(detail)]))
  return { ...(detailed as Record<Detail, Piece>), '': piece() }
}

/** Room for the most records with the longest codes, and for the rest of the response. */
const BYTES = HEAD.bytes.length + BULK_RECORDS_MAX * RESULT_BYTES_MAX + BULK_BODY_BYTES_MAX + TAIL_BYTES
const ABSENT = -1

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
  readonly #symbols = new Uint8Array(BULK_RECORDS_MAX * CODE_LENGTH_MAX)
  readonly #lengths = new Uint8Array(BULK_RECORDS_MAX)
  readonly #found = new Int32Array(BULK_RECORDS_MAX)

  constructor(index: PostalIndex) {
    this.#index = index
  }

  begin(): void {
    this.count = 0
  }

  /**
   * Adds a record, one of `BULK_RECORDS_MAX` at most.
   * @param batch has the code, without escapes, in `[codeStart, codeEnd)`, and two letters at `countryStart`
   */
  add(batch: Uint8Array, codeStart: number, codeEnd: number, countryStart: number): void {
    const record = this.count++
    const slot = countrySlot(batch[countryStart], batch[countryStart + 1])
    this.#starts[record] = codeStart
    this.#ends[record] = codeEnd
    this.#slots[record] = slot
    const length = putSymbols(batch, codeStart, codeEnd, this.#symbols, record * CODE_LENGTH_MAX)
    this.#lengths[record] = mayBePasted(length) ? this.#addPasted(record, batch, codeStart, codeEnd) : length
  }

  finish(batch: Uint8Array): void {
    const { countries, trie } = this.#index
    const { count } = this
    const found = this.#found
    for (let record = 0; record < count; record++) {
      const country = countries.at(this.#slots[record])
      const length = this.#lengths[record]
      found[record] =
        country === undefined || country === null || length === 0
          ? ABSENT
          : findCode(trie, country.root, this.#symbols, record * CODE_LENGTH_MAX, length)
    }
    let at = putPiece(this.#view, 0, HEAD)
    for (let record = 0; record < count; record++) {
      if (record > 0) this.bytes[at++] = COMMA
      at = this.#writeEcho(batch, record, at)
      at = this.#writeVerdict(record, at)
    }
    this.bytes[at++] = BRACKET_CLOSE
    this.length = at
  }

  /** Adds a code that people have pasted. @returns its length, or 0 when it cannot be one */
  #addPasted(record: number, batch: Uint8Array, start: number, end: number): number {
    const country = this.#index.countries.at(this.#slots[record])
    const text = withoutPasted(utf8Text(batch, start, end), country?.cc ?? '')
    return putTextSymbols(text, this.#symbols, record * CODE_LENGTH_MAX)
  }

  /** Writes what was asked. @returns where it ends, as all of these do */
  #writeEcho(batch: Uint8Array, record: number, start: number): number {
    const out = this.bytes
    const slot = this.#slots[record]
    const end = this.#ends[record]
    let at = putPiece(this.#view, start, POSTAL_CODE)
    for (let i = this.#starts[record]; i < end; i++) out[at++] = batch[i]
    at = putPiece(this.#view, at, COUNTRY_CODE)
    out[at++] = firstLetter(slot)
    out[at++] = secondLetter(slot)
    return at
  }

  #writeVerdict(record: number, at: number): number {
    const country = this.#index.countries.at(this.#slots[record])
    if (country === undefined) return putPiece(this.#view, at, UNKNOWN_COUNTRY[''])
    const start = record * CODE_LENGTH_MAX
    const length = this.#lengths[record]
    if (country === null || length === 0) {
      this.#query.take(this.#symbols, start, length)
      const cc = country?.cc ?? isoOf(this.#index, slotText(this.#slots[record]))
      return this.#writeInvalid(country === null ? UNKNOWN_COUNTRY : INVALID_FORMAT, cc, country !== null, at)
    }
    const code = this.#found[record]
    if (code !== ABSENT) return this.#writeValid(country, code, this.#symbols, start, length, at)
    return this.#writeOtherForm(country, start, length, at)
  }

  /** The result of a code that is not a key as it was written. */
  #writeOtherForm(country: Country, start: number, length: number, at: number): number {
    const query = this.#query
    query.take(this.#symbols, start, length)
    const code = query.resolveOther(this.#index.trie, country)
    if (code === ABSENT) return this.#writeInvalid(NOT_FOUND, country.cc, true, at)
    return this.#writeValid(country, code, query.symbols, query.keyStart, query.keyLength, at)
  }

  #writeInvalid(reason: ReturnType<typeof invalid>, cc: string, hasData: boolean, at: number): number {
    return putPiece(this.#view, at, reason[this.#index.posts.detail(cc, this.#query.text, hasData) ?? ''])
  }

  #writeValid(
    country: Country,
    code: number,
    symbols: Uint8Array,
    start: number,
    length: number,
    at: number,
  ): number {
    const formStart = putPiece(this.#view, at, VALID)
    const formEnd = copyWritten(this.#index, country, code, symbols, start, length, this.bytes, formStart)
    return putPiece(this.#view, formEnd, VALID_END)
  }
}

/**
 * Validates records and writes their results as JSON. They are looked up when all of the batch has been read, so that nothing is
 * done for a malformed one, and before the first result is written: the processor fetches for several look-ups of a tight loop
 * at the same time.
 */
import { CodeQuery } from '../index/codes/resolve.ts'
import { findCode } from '../index/codes/trie.ts'
import { copyWritten } from '../index/codes/written.ts'
import type { Country } from '../index/country.ts'
import { countrySlot, firstLetter, secondLetter } from '../index/country-table.ts'
import { Output } from '../index/output.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { writeRecord } from '../index/record-json.ts'
import { BULK_BODY_BYTES_MAX, BULK_RECORDS_MAX, CODE_LENGTH_MAX } from '../limits.ts'
import { viewOf } from '../text/bytes.ts'
import { putSymbols } from '../text/code.ts'
import { BRACKET_CLOSE, COMMA } from '../text/json-bytes.ts'
import { hasCedex, lengthWithoutCedex, mayBePasted, putPasted } from '../text/pasted-code.ts'
import { type Piece, pieceOf, putPiece } from '../text/piece.ts'
import { type BatchKind, TAIL_BYTES } from './bulk-result.ts'

/** Where the values of a record stand: `source[codeStart, codeEnd)`, and two letters at `countryStart`. */
export interface RecordPlace {
  codeStart: number
  codeEnd: number
  countryStart: number
}

/** Most bytes that a result has besides the echoed postal code. */
const RESULT_BYTES_MAX = 160

const HEAD = pieceOf('{"results":[')
const POSTAL_CODE = pieceOf('{"postalCode":"')
const COUNTRY_CODE = pieceOf('","countryCode":"')
const VALID = pieceOf('","valid":true,"normalized":"')
const BRACE_CLOSE = pieceOf('}')

/** How results end, with and without the record. */
interface Endings {
  readonly valid: Piece
  readonly notFound: Piece
  readonly invalidFormat: Piece
  readonly unknownCountry: Piece
}

const invalid = (reason: string, end: string) =>
  pieceOf(`","valid":false,"normalized":null,"reason":"${reason}"${end}`)
const endings = (valid: string, end: string): Endings => ({
  valid: pieceOf(`","reason":null${valid}`),
  notFound: invalid('not_found', end),
  invalidFormat: invalid('invalid_format', end),
  unknownCountry: invalid('unknown_country', end),
})
const ENDINGS: Readonly<Record<BatchKind, Endings>> = {
  validate: endings('}', '}'),
  lookup: endings(',"record":', ',"record":null}'),
}

/** Room for the most records with the longest codes, and for what follows them; records themselves come on top. */
const FIXED_BYTES = HEAD.bytes.length + BULK_RECORDS_MAX * RESULT_BYTES_MAX + BULK_BODY_BYTES_MAX + TAIL_BYTES
/** In place of a code index. */
const ABSENT = -1

export class RecordWriter {
  /** One buffer for every batch of this thread. */
  bytes: Buffer = Buffer.alloc(FIXED_BYTES)
  #view = viewOf(this.bytes)
  length = 0
  count = 0
  /** Bytes of the records of this batch. */
  #extra = 0
  readonly #index: PostalIndex
  readonly #query = new CodeQuery()

  #source: Uint8Array = new Uint8Array(0)
  /** The records that were added; `count` of them. */
  readonly #echoStarts = new Uint32Array(BULK_RECORDS_MAX)
  readonly #echoEnds = new Uint32Array(BULK_RECORDS_MAX)
  readonly #slots = new Uint16Array(BULK_RECORDS_MAX)
  readonly #symbols = new Uint8Array(BULK_RECORDS_MAX * CODE_LENGTH_MAX)
  readonly #lengths = new Uint8Array(BULK_RECORDS_MAX)
  readonly #found = new Int32Array(BULK_RECORDS_MAX)

  /** Where a record is written before it is copied to its result; undefined: results are verdicts alone. */
  readonly #record: Output | undefined
  readonly #endings: Endings

  /** @param kind whether a result has the whole record */
  constructor(index: PostalIndex, kind: BatchKind = 'validate') {
    this.#index = index
    this.#record = kind === 'lookup' ? new Output() : undefined
    this.#endings = ENDINGS[kind]
  }

  begin(): void {
    this.count = 0
    this.#extra = 0
  }

  /**
   * Adds a record, one of `BULK_RECORDS_MAX` at most.
   * @param place where in `texts` its two values stand
   * @param echoStart where in the batch its postal code stands as the text of a JSON string, up to `echoEnd`
   */
  add(
    { codeStart, codeEnd, countryStart }: RecordPlace,
    texts: Uint8Array,
    echoStart: number,
    echoEnd: number,
  ): void {
    const record = this.count++
    const slot = countrySlot(texts[countryStart], texts[countryStart + 1])
    this.#echoStarts[record] = echoStart
    this.#echoEnds[record] = echoEnd
    this.#slots[record] = slot
    const length = putSymbols(texts, codeStart, codeEnd, this.#symbols, record * CODE_LENGTH_MAX)
    this.#lengths[record] = length > 0 ? length : this.#addPasted(record, texts, codeStart, codeEnd)
  }

  /** Looks all records up and writes their results. @param source the batch, from which postal codes are echoed */
  finish(source: Uint8Array): void {
    const { countries, trie } = this.#index
    const { count } = this
    const found = this.#found
    this.#source = source
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
      at = this.#writeEcho(record, at)
      at = this.#writeVerdict(record, at)
    }
    this.bytes[at++] = BRACKET_CLOSE
    this.length = at
  }

  /** Adds a code that people have pasted. @returns its length, or 0 when it cannot be one */
  #addPasted(record: number, texts: Uint8Array, start: number, end: number): number {
    const country = this.#index.countries.at(this.#slots[record])
    const isFrench = country !== undefined && country !== null && hasCedex(country.cc)
    return putPasted(texts, start, end, this.#symbols, record * CODE_LENGTH_MAX, isFrench)
  }

  /** Writes what was asked. @returns where it ends, as all of these do */
  #writeEcho(record: number, start: number): number {
    const echo = this.#source
    const out = this.bytes
    const slot = this.#slots[record]
    const echoEnd = this.#echoEnds[record]
    let at = putPiece(this.#view, start, POSTAL_CODE)
    for (let i = this.#echoStarts[record]; i < echoEnd; i++) out[at++] = echo[i]
    at = putPiece(this.#view, at, COUNTRY_CODE)
    out[at++] = firstLetter(slot)
    out[at++] = secondLetter(slot)
    return at
  }

  #writeVerdict(record: number, at: number): number {
    const country = this.#index.countries.at(this.#slots[record])
    if (country === undefined || country === null)
      return putPiece(this.#view, at, this.#endings.unknownCountry)
    const start = record * CODE_LENGTH_MAX
    const length = this.#lengths[record]
    if (length === 0) return putPiece(this.#view, at, this.#endings.invalidFormat)
    const code = this.#found[record]
    if (code !== ABSENT) return this.#writeValid(country, code, this.#symbols, start, length, at)
    return this.#writeOtherForm(country, start, length, at)
  }

  /** The result of a code that is not a key as it was written. */
  #writeOtherForm(country: Country, start: number, length: number, at: number): number {
    const query = this.#query
    query.take(this.#symbols, start, length)
    let code = query.resolveOther(this.#index.trie, country)
    if (code === ABSENT && mayBePasted(length) && hasCedex(country.cc)) {
      query.take(this.#symbols, start, length)
      query.length = lengthWithoutCedex(query.symbols, length)
      code = query.resolve(this.#index.trie, country)
    }
    if (code === ABSENT) return putPiece(this.#view, at, this.#endings.notFound)
    return this.#writeValid(country, code, query.symbols, query.keyStart, query.keyLength, at)
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
    const end = putPiece(this.#view, formEnd, this.#endings.valid)
    if (this.#record === undefined) return end
    this.#record.length = 0
    writeRecord(this.#record, this.#index, country, code, symbols, start, length)
    return this.#putRecord(this.#record, end)
  }

  /** Copies a record to its result. Grows the buffer as far as the longest results need. */
  #putRecord(record: Output, at: number): number {
    const end = at + record.length
    // What the buffer had for verdicts alone stays behind the records: room for all the rest of the batch.
    this.#extra += record.length
    if (this.#extra > this.bytes.length - FIXED_BYTES) this.#grow()
    this.bytes.set(record.view(), at)
    return putPiece(this.#view, end, BRACE_CLOSE)
  }

  #grow(): void {
    const bytes = Buffer.alloc(FIXED_BYTES + 2 * this.#extra)
    bytes.set(this.bytes)
    this.bytes = bytes
    this.#view = viewOf(bytes)
  }
}

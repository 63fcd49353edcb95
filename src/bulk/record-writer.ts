/** Validates one record after another and writes each result as JSON. */

import { countrySlot } from '../index/country-table.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { CodeQuery } from '../index/resolve.ts'
import { copyWritten } from '../index/written.ts'
import { BULK_BODY_BYTES_MAX, BULK_RECORDS_MAX } from '../limits.ts'
import { TAIL_BYTES } from './bulk-result.ts'

/** Most bytes that a result has beside the echoed postal code. */
const RESULT_BYTES_MAX = 160

const HEAD = Buffer.from('{"results":[')
const POSTAL_CODE = Buffer.from('{"postalCode":"')
const COUNTRY_CODE = Buffer.from('","countryCode":"')
const VALID = Buffer.from('","valid":true,"normalized":"')
const VALID_END = Buffer.from('","reason":null}')
const NOT_FOUND = Buffer.from('","valid":false,"normalized":null,"reason":"not_found"}')
const INVALID_FORMAT = Buffer.from('","valid":false,"normalized":null,"reason":"invalid_format"}')
const UNKNOWN_COUNTRY = Buffer.from('","valid":false,"normalized":null,"reason":"unknown_country"}')
const COMMA = 0x2c
const BRACKET_CLOSE = 0x5d
const UPPER = 0xdf

export class RecordWriter {
  /** One buffer for every batch of this thread: no batch has more records or longer codes than it holds. */
  readonly bytes: Buffer = Buffer.alloc(
    HEAD.length + BULK_RECORDS_MAX * RESULT_BYTES_MAX + BULK_BODY_BYTES_MAX + TAIL_BYTES,
  )
  length = 0
  count = 0
  readonly #query = new CodeQuery()
  readonly #index: PostalIndex

  constructor(index: PostalIndex) {
    this.#index = index
  }

  begin(): void {
    this.length = HEAD.copy(this.bytes)
    this.count = 0
  }

  /**
   * Adds the result of one record.
   * @param code the postal code is `code[codeStart, codeEnd)`
   * @param echo the same as it stands between the quotes of a JSON string: `echo[echoStart, echoEnd)`
   * @param first first letter of the country code, as a byte of either case; `second` likewise
   */
  add(
    code: Uint8Array,
    codeStart: number,
    codeEnd: number,
    echo: Uint8Array,
    echoStart: number,
    echoEnd: number,
    first: number,
    second: number,
  ): void {
    const out = this.bytes
    if (this.count > 0) out[this.length++] = COMMA
    this.count++
    this.#piece(POSTAL_CODE)
    for (let i = echoStart; i < echoEnd; i++) out[this.length++] = echo[i]
    this.#piece(COUNTRY_CODE)
    out[this.length++] = first & UPPER
    out[this.length++] = second & UPPER
    const index = this.#index
    const query = this.#query
    const country = index.countries[countrySlot(first, second)]
    if (country === undefined || country === null) return this.#piece(UNKNOWN_COUNTRY)
    if (!query.set(code, codeStart, codeEnd)) return this.#piece(INVALID_FORMAT)
    const found = query.resolve(index.trie, country)
    if (found < 0) return this.#piece(NOT_FOUND)
    this.#piece(VALID)
    this.length = copyWritten(
      index,
      country,
      found,
      query.symbols,
      query.keyStart,
      query.keyLength,
      out,
      this.length,
    )
    this.#piece(VALID_END)
  }

  end(): void {
    this.bytes[this.length++] = BRACKET_CLOSE
  }

  #piece(piece: Buffer): void {
    // Byte by byte: `set` costs more than it saves on pieces of this length.
    const out = this.bytes
    const at = this.length
    for (let i = 0; i < piece.length; i++) out[at + i] = piece[i]
    this.length = at + piece.length
  }
}

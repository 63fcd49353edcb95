/** Finds postal codes given as JavaScript values, by the same rules as the API: `src/api/API.md`, *Codes*. */
import { WRITTEN_BYTES_MAX } from '../format/layout.ts'
import { CodeQuery } from '../index/codes/resolve.ts'
import { copyWritten } from '../index/codes/written.ts'
import type { Country } from '../index/country.ts'
import { type CountryEntry, countrySlot, NO_COUNTRY } from '../index/country-table.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { utf8Text } from '../text/bytes.ts'
import { putTextSymbols } from '../text/code.ts'
import { mayBePasted } from '../text/pasted-code.ts'

/** Why a code is not valid, in the words of `/api/validate-bulk`. */
export type InvalidReason = 'not_found' | 'invalid_format' | 'unknown_country'

export const NOT_FOUND = -1
/** In place of a code index: the text can be no postal code anywhere. */
export const NO_CODE = -2

const formBytes = new Uint8Array(WRITTEN_BYTES_MAX)

export class CodeFinder {
  readonly #index: PostalIndex
  readonly #query = new CodeQuery()

  constructor(index: PostalIndex) {
    this.#index = index
  }

  /** The country of two letters, in either case; see `country-table.ts` for what null and undefined mean. */
  country(text: unknown): CountryEntry {
    return typeof text === 'string' && text.length === 2
      ? this.#index.countries.at(countrySlot(text.charCodeAt(0), text.charCodeAt(1)))
      : NO_COUNTRY
  }

  /**
   * Code index of `code` in `country`, `NOT_FOUND` or `NO_CODE`. A number gets the zeros that it has lost.
   * @param country null for one that the index has no codes of
   */
  find(code: string | number, country: Country | null): number {
    if (typeof code === 'number') return this.#findNumber(code, country)
    const query = this.#query
    query.length = 0
    if (typeof code !== 'string') return NO_CODE
    query.length = putTextSymbols(code, query.symbols)
    const found = this.#resolve(country)
    if (found >= 0 || !mayBePasted(query.length)) return found
    return query.setPasted(code, country?.cc ?? '') ? this.#resolve(country) : NO_CODE
  }

  /** The code that `find` searched for, in canonical form; `''` after `NO_CODE`. */
  get key(): string {
    return this.#query.text
  }

  #resolve(country: Country | null): number {
    const isCode = country !== null && this.#query.length > 0
    return isCode ? this.#query.resolve(this.#index.trie, country) : NOT_FOUND
  }

  /** The country's own written form of the code that `find` has just found. */
  writtenForm(country: Country, code: number): string {
    const { symbols, keyStart, keyLength } = this.#query
    const end = copyWritten(this.#index, country, code, symbols, keyStart, keyLength, formBytes, 0)
    return utf8Text(formBytes, 0, end)
  }

  #findNumber(code: number, country: Country | null): number {
    const query = this.#query
    query.length = 0
    // A fraction, a negative or a huge number is not a code: its sign and point are not separators.
    if (!Number.isSafeInteger(code) || code < 0) return NO_CODE
    query.length = putTextSymbols(String(code), query.symbols)
    if (query.length === 0) return NO_CODE
    query.pad(country?.padTo ?? 0)
    return this.#resolve(country)
  }
}

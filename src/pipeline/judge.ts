/** Decides about one record, in bytes: the rules of `/api/validate-bulk`. */
import { CodeQuery } from '../index/codes/resolve.ts'
import type { Country } from '../index/country.ts'
import { countrySlot } from '../index/country-table.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { hasCedex, mayBePasted, putPasted } from '../text/pasted-code.ts'

export type Reason = 'not_found' | 'invalid_format' | 'unknown_country'

const SPACE = 0x20
const NO_SLOT = -1

export class Judge {
  readonly #index: PostalIndex
  readonly #fallback: number
  readonly #padsDigits: boolean
  readonly query = new CodeQuery()
  /** The code that was found, and its country; meaningless after a reason. */
  code = -1
  country: Country | undefined

  /** @param fallback two letters for records without a country @param padsDigits see `CheckPlan` */
  constructor(index: PostalIndex, fallback: string | undefined, padsDigits: boolean) {
    this.#index = index
    this.#fallback =
      fallback?.length === 2 ? countrySlot(fallback.charCodeAt(0), fallback.charCodeAt(1)) : NO_SLOT
    this.#padsDigits = padsDigits
  }

  /**
   * Why the code in `codes[start, end)` is not valid in the country that `countries[from, to)` names, or null when it is. An empty
   * country is the fallback. Spaces around the country do not count.
   */
  reason(
    codes: Uint8Array,
    start: number,
    end: number,
    countries: Uint8Array,
    from: number,
    to: number,
  ): Reason | null {
    const country = this.#index.countries.at(this.#slot(countries, from, to))
    if (country === undefined || country === null) return 'unknown_country'
    this.country = country
    const { query } = this
    const { trie } = this.#index
    const isPlain = query.set(codes, start, end)
    if (isPlain) {
      if (this.#padsDigits && isDigits(query)) query.pad(country.padTo)
      this.code = query.resolve(trie, country)
      if (this.code >= 0) return null
    }
    if (!mayBePasted(query.length)) return 'not_found'
    const length = putPasted(codes, start, end, query.symbols, 0, hasCedex(country.cc))
    if (length === 0) return 'invalid_format'
    query.length = length
    this.code = query.resolve(trie, country)
    return this.code >= 0 ? null : 'not_found'
  }

  #slot(bytes: Uint8Array, from: number, to: number): number {
    let start = from
    let end = to
    while (start < end && bytes[start] === SPACE) start++
    while (end > start && bytes[end - 1] === SPACE) end--
    if (start === end) return this.#fallback
    return end - start === 2 ? countrySlot(bytes[start], bytes[start + 1]) : NO_SLOT
  }
}

function isDigits({ symbols, length }: CodeQuery): boolean {
  for (let i = 0; i < length; i++) if (symbols[i] > 9) return false
  return true
}

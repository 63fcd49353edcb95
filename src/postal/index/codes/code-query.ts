/** Finds the code index of a request's symbols, by the rules of its country. FORMAT.md, *Finding a code*. */
import { LIST_SYMBOLS_MAX } from '../../format/trie-layout.ts'
import { CODE_LENGTH_MAX } from '../../limits.ts'
import { utf8Text } from '../../text/bytes.ts'
import { putSymbols, putTextSymbols, symbolText } from '../../text/code-symbols.ts'
import { mayBePasted, withoutPasted } from '../../text/pasted-code.ts'
import { type Country, endsIn, hasPrefix, mayPrecede, type Tail } from '../country.ts'
import type { CountryEntry } from '../country-table.ts'
import { damaged } from '../index-file-error.ts'
import { findCode } from './trie.ts'

/** One request's postal code in canonical form. Reused, so that a look-up allocates nothing. */
export class CodeQuery {
  /** Room for zeros before a short number, and for the symbols of a page that `codeSymbols` writes. */
  readonly symbols: Uint8Array = new Uint8Array(CODE_LENGTH_MAX + LIST_SYMBOLS_MAX)
  length = 0
  /** After `resolve`: where in `symbols` the key of the found code begins, and its length. */
  keyStart = 0
  keyLength = 0

  /** Takes the postal code in `bytes[start, end)`. Returns false if no country could have such a code. */
  set(bytes: Uint8Array, start: number, end: number): boolean {
    this.length = putSymbols(bytes, start, end, this.symbols)
    return this.length > 0
  }

  /** Returns the code index of the ASCII text in `bytes[start, end)`, as `find` does. */
  findBytes(trie: Uint32Array, country: CountryEntry, bytes: Uint8Array, start: number, end: number): number {
    this.length = putSymbols(bytes, start, end, this.symbols)
    const found = this.resolve(trie, country)
    return found >= 0 || !mayBePasted(this.length)
      ? found
      : this.#findPasted(trie, country, utf8Text(bytes, start, end))
  }

  #findPasted(trie: Uint32Array, country: CountryEntry, text: string): number {
    this.length = putTextSymbols(withoutPasted(text, country?.cc ?? ''), this.symbols)
    return this.resolve(trie, country)
  }

  /** Returns the code index, or -1. `length` is 0 afterwards if no country could have such a code. */
  find(trie: Uint32Array, country: CountryEntry, code: unknown): number {
    const isNumber = typeof code === 'number'
    this.length = 0
    // A fraction, a negative or a huge number is not a code: its sign and point are not separators.
    if (isNumber ? !(Number.isSafeInteger(code) && code >= 0) : typeof code !== 'string') return -1
    this.length = putTextSymbols(String(code), this.symbols)
    if (isNumber) this.pad(country)
    const found = this.resolve(trie, country)
    return isNumber || found >= 0 || !mayBePasted(this.length)
      ? found
      : this.#findPasted(trie, country, String(code))
  }

  get text(): string {
    return symbolText(this.symbols, this.length)
  }

  /**
   * Restores the zeros that a JSON number has lost: 2139 in US is 02139. A longer number is padded to the
   * length with a tail that the index does not store: 21391234 is 02139-1234.
   */
  pad(country: CountryEntry): void {
    const { padTo = 0, tails = [] } = country ?? {}
    const length = this.length > padTo && padTo > 0 && tails.length === 1 ? padTo + tails[0].length : padTo
    const missing = length - this.length
    if (missing <= 0 || this.length === 0) return
    this.symbols.copyWithin(missing, 0, this.length)
    this.symbols.fill(0, 0, missing)
    this.length = length
  }

  /** Returns the code index of this query, or -1. Costs one walk of the trie for a code in full. */
  resolve(trie: Uint32Array, country: CountryEntry): number {
    const { symbols, length } = this
    if (length === 0 || country === undefined || country === null) return -1
    this.keyStart = 0
    this.keyLength = length
    const code = findCode(trie, country.root, symbols, 0, length)
    if (code >= 0) return checkedCode(country, code)
    return this.#resolveOther(trie, country)
  }

  /** Finds codes with a prefix (`L-4968` is 4968), a tail that is not stored (`90210-1234`), or both. */
  #resolveOther(trie: Uint32Array, country: Country): number {
    const { root, tails, partRoot, partStart, partCount, partTails } = country
    const code = this.#findInside(trie, country, root, tails)
    if (code >= 0) return checkedCode(country, code)
    if (partCount === 0) return -1
    let part = this.#find(trie, partRoot, 0, this.length)
    if (part < 0) part = this.#findInside(trie, country, partRoot, partTails)
    if (part >= 0 && (part - partStart) >>> 0 >= partCount)
      damaged(`TRIE leads to the part ${part}, which ${country.cc} does not have`)
    return part
  }

  /** Finds the symbols in the trie of the link `root` without a prefix, a tail of `tails`, or both. */
  #findInside(trie: Uint32Array, country: Country, root: number, tails: readonly Tail[]): number {
    const { symbols, length } = this
    let code = this.#findPrefixed(trie, country, root, length)
    for (let i = 0; code < 0 && i < tails.length; i++) {
      const end = length - tails[i].length
      if (end <= 0 || !endsIn(symbols, end, tails[i])) continue
      code = this.#find(trie, root, 0, end)
      if (code < 0) code = this.#findPrefixed(trie, country, root, end)
    }
    return code
  }

  /** Finds the first `end` symbols in the trie of the link `root`, after stripping a known prefix. */
  #findPrefixed(trie: Uint32Array, country: Country, root: number, end: number): number {
    const { prefixes } = country
    for (let i = 0; i < prefixes.length; i++) {
      const start = prefixes[i].length
      if (!hasPrefix(this.symbols, end, prefixes[i]) || !mayPrecede(country, prefixes[i], this.symbols))
        continue
      const code = this.#find(trie, root, start, end - start)
      if (code >= 0) return code
    }
    return -1
  }

  #find(trie: Uint32Array, root: number, start: number, length: number): number {
    this.keyStart = start
    this.keyLength = length
    return findCode(trie, root, this.symbols, start, length)
  }
}

/** Returns `code`. Throws if it is outside the country's range, since readers of records do not check. */
function checkedCode({ cc, codeStart, codeCount }: Country, code: number): number {
  // Unsigned, so that one comparison covers both ends.
  if ((code - codeStart) >>> 0 >= codeCount)
    damaged(`TRIE leads to code index ${code}, which ${cc} does not have`)
  return code
}

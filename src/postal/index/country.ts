/** Country with codes: its ranges and rules, in the forms for look-ups. */
import type { CountryMeta, CountryRanges } from '../format/meta.ts'
import { asciiBytes } from '../text/bytes.ts'
import { SYMBOL_OF_BYTE, SYMBOLS } from '../text/code-symbols.ts'
import { maskLength } from '../text/mask.ts'

/** End of a full code: of each character, 1 at the symbols that the post uses. */
export type Tail = readonly Uint8Array[]

export interface Country
  extends Pick<CountryRanges, 'cc' | 'root' | 'codeStart' | 'codeCount' | 'textStart'> {
  /** Its further ranges and rules. */
  readonly meta: CountryMeta
  /** Link to the trie of its first parts. */
  readonly partRoot: number
  readonly partStart: number
  readonly partCount: number
  readonly padTo: number
  readonly prefixes: readonly Uint8Array[]
  readonly letters: readonly number[]
  readonly tails: readonly Tail[]
  readonly partTails: readonly Tail[]
  /** Bytes of the mask for each key length, ready for JSON; undefined if the key is the form. */
  readonly masks: readonly (Uint8Array | undefined)[]
}

/** @param meta with checked rules */
export function openCountry(meta: CountryMeta): Country {
  const masks: (Uint8Array | undefined)[] = []
  for (const mask of meta.masks) masks[maskLength(mask)] = asciiBytes(mask)
  const { cc, codeStart, codeCount, textStart, padTo } = meta
  // Without a spread, which gives each country another shape in V8 and slows look-ups.
  return {
    cc,
    codeStart,
    codeCount,
    textStart,
    padTo,
    meta,
    // A signed number, which V8 stores without an object.
    root: meta.root | 0,
    partRoot: (meta.parts[0] ?? 0) | 0,
    partStart: meta.parts[1] ?? 0,
    partCount: meta.parts[2] ?? 0,
    prefixes: meta.prefixes.map(prefix => asciiBytes(prefix).map(byte => SYMBOL_OF_BYTE[byte])),
    letters: meta.letters,
    tails: meta.tails.map(tailOf),
    partTails: meta.partTails.map(tailOf),
    masks,
  }
}

function tailOf(signs: readonly string[]): Tail {
  return signs.map(accepted => Uint8Array.from(SYMBOLS, symbol => (accepted.includes(symbol) ? 1 : 0)))
}

/** Returns false for the letter of a province in which no codes begin with the same two digits. */
export function mayPrecede({ letters }: Country, prefix: Uint8Array, symbols: Uint8Array): boolean {
  const known = letters[symbols[1] * 10 + symbols[2]] ?? 0
  return known === 0 || prefix.length > 1 || ((known >> (prefix[0] - 10)) & 1) === 1
}

/** Returns false for -1 and for a first part such as `SW1A` where the index has full codes. */
export function hasCode({ codeStart, codeCount }: Country, code: number): boolean {
  return code >= codeStart && code < codeStart + codeCount
}

/** Returns true if `symbols[0, length)` begins with `prefix` and is longer. */
export function hasPrefix(symbols: Uint8Array, length: number, prefix: Uint8Array): boolean {
  if (length <= prefix.length) return false
  for (let i = 0; i < prefix.length; i++) if (symbols[i] !== prefix[i]) return false
  return true
}

/** Returns true if `tail` accepts the symbols from `start` on, as many as it has. */
export function endsIn(symbols: Uint8Array, start: number, tail: Tail): boolean {
  for (let i = 0; i < tail.length; i++) if (tail[i][symbols[start + i]] !== 1) return false
  return true
}

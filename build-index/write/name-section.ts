/** The NAME section: city names in alphabetical order, and how large they are. */

import type { CountryRanges } from '../../src/format/meta.ts'
import {
  bitsOf,
  entryWords,
  NAME_BITS_SHIFT,
  NAME_FANOUT,
  nameLevels,
  putEntry,
  sizeClass,
  sizeWords,
} from '../../src/format/name-order.ts'
import { nameText } from '../../src/text/city.ts'
import { compareText } from './order.ts'

/** A name that HASH must lead to. `index` is that of a place, or of an alias where `alias` is true. */
export interface NameEntry {
  name: string
  key: string
  alias: boolean
  index: number
  /** Codes of its places together; a code of two of them counts twice. */
  codes: number
}

export type NameRanges = Pick<CountryRanges, 'placeStart' | 'placeCount' | 'aliasStart' | 'aliasCount'>

/** The words of a country. @param names all of its names, in any order */
export function countryNames(ranges: NameRanges, names: readonly NameEntry[]): Uint32Array {
  const { placeStart, placeCount, aliasStart, aliasCount } = ranges
  const sorted = names
    .map(({ name, alias, index, codes }) => ({
      text: nameText(name),
      entry: alias ? placeCount + index - aliasStart : index - placeStart,
      size: sizeClass(codes),
    }))
    .sort((a, b) => compareText(a.text, b.text) || a.entry - b.entry)
  const bits = bitsOf(placeCount + aliasCount)
  const sizesAt = 1 + entryWords(sorted.length, bits)
  const words = new Uint32Array(sizesAt + sizeWords(sorted.length))
  words[0] = sorted.length | (bits << NAME_BITS_SHIFT)
  sorted.forEach(({ entry }, position) => {
    putEntry(words, 1, position, bits, entry)
  })
  const sizes = new Uint8Array(words.buffer, sizesAt * 4)
  let below = sorted.map(({ size }) => size)
  let at = 0
  for (const blocks of nameLevels(sorted.length)) {
    below = Array.from({ length: blocks }, (_, block) =>
      Math.max(...below.slice(block * NAME_FANOUT, (block + 1) * NAME_FANOUT)),
    )
    sizes.set(below, at)
    at += blocks
  }
  return words
}

/** The NAME and LEAD sections: city names in alphabetical order, how large they are, and how they begin. */

import type { CountryRanges } from '../../src/format/meta.ts'
import {
  bitsOf,
  entryWords,
  LEAD_WORDS,
  leadWord,
  leadWords,
  NAME_BITS_SHIFT,
  NAME_FANOUT,
  nameLevels,
  packMark,
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
  /** Of an alias: the name under which all of its places are listed, when that is one. */
  own?: string
}

export type NameRanges = Pick<CountryRanges, 'placeStart' | 'placeCount' | 'aliasStart' | 'aliasCount'>

/** A name at its place in the order. */
interface Sorted {
  text: string
  entry: number
  size: number
  /** Units that it shares with the own name of its places; 0 for such a name, and where there is not one. */
  shared: number
}

/** The words of a country in either section. @param names all of its names, in any order */
export function countryNames(
  ranges: NameRanges,
  names: readonly NameEntry[],
): Record<'order' | 'leads', Uint32Array> {
  const sorted = sortedNames(ranges, names)
  return { order: orderWords(ranges, sorted), leads: leadsOf(sorted) }
}

function sortedNames(
  { placeStart, placeCount, aliasStart }: NameRanges,
  names: readonly NameEntry[],
): readonly Sorted[] {
  return names
    .map(({ name, alias, index, codes, own }) => {
      const text = nameText(name)
      return {
        text,
        entry: alias ? placeCount + index - aliasStart : index - placeStart,
        size: sizeClass(codes),
        shared: own === undefined ? 0 : sharedUnits(text, nameText(own)),
      }
    })
    .sort((a, b) => compareText(a.text, b.text) || a.entry - b.entry)
}

function sharedUnits(one: string, other: string): number {
  let units = 0
  while (units < one.length && one[units] === other[units]) units++
  return units
}

function leadsOf(sorted: readonly Sorted[]): Uint32Array {
  const words = new Uint32Array(leadWords(sorted.length))
  let at = 0
  for (let first = 0; first < sorted.length; first += NAME_FANOUT)
    for (let word = 0; word < LEAD_WORDS; word++) words[at++] = leadWord(sorted[first].text, word)
  const marks = new Uint8Array(words.buffer, at * 4)
  sorted.forEach(({ size, shared }, position) => {
    marks[position] = packMark(size, shared)
  })
  return words
}

function orderWords({ placeCount, aliasCount }: NameRanges, sorted: readonly Sorted[]): Uint32Array {
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

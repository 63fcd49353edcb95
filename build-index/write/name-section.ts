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
import { GrowableU32 } from './growable.ts'
import { compareText } from './order.ts'
import type { NameEntry } from './place-table.ts'

type Ranges = Pick<CountryRanges, 'cc' | 'placeStart' | 'placeCount' | 'aliasStart' | 'aliasCount'>

/** @param countries in the order of CTRY @param names of all of them */
export function nameSection(countries: readonly Ranges[], names: readonly NameEntry[]): Uint8Array {
  const byCountry = new Map<string, NameEntry[]>(countries.map(({ cc }) => [cc, []]))
  for (const name of names) byCountry.get(name.country)?.push(name)
  const out = new GrowableU32()
  for (const ranges of countries)
    for (const word of countryWords(ranges, byCountry.get(ranges.cc) ?? [])) out.push(word)
  return out.bytes()
}

function countryWords(ranges: Ranges, names: readonly NameEntry[]): Uint32Array {
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

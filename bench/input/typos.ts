/** Real cities and seeded misspellings of them, with a plain judge of which misspellings mean one city only. */

import { editsAllowed } from '../../src/index/cities/close-names.ts'
import { editDistance } from '../../src/index/cities/edit-distance.ts'
import { adminField, aliasPlaces, placeAdmin, placeName } from '../../src/index/codes/code-view.ts'
import type { Country } from '../../src/index/country.ts'
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { plainText } from '../../src/index/text-section.ts'
import { cityKey } from '../../src/text/city.ts'
import { randomFrom } from '../random.ts'

export interface Typo {
  /** Name that was meant. */
  name: string
  key: string
  /** What was typed. */
  typed: string
  /** Code of the state, in the US only, where a request must name one. */
  stateCode: string | undefined
}

/** Every name of a country by key: the regions in which it stands. */
export type Names = ReadonlyMap<string, ReadonlySet<string>>

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const PLAIN = /^[a-z]{4,}$/

/** All keys of a country, other names included, with their regions. A few seconds for 100,000 names. */
export function namesOf(index: PostalIndex, country: Country): Names {
  const names = new Map<string, Set<string>>()
  const note = (key: string, places: readonly number[]) => {
    const regions = names.get(key) ?? new Set()
    for (const place of places) regions.add(adminField(index, placeAdmin(index, place), 1))
    names.set(key, regions)
  }
  const { placeStart, placeCount, aliasStart, aliasCount } = country.meta
  for (let place = placeStart; place < placeStart + placeCount; place++)
    note(cityKey(placeName(index, place)), [place])
  for (let alias = aliasStart; alias < aliasStart + aliasCount; alias++) {
    note(cityKey(plainText(index.text, index.aliases[alias * 2])), aliasPlaces(index, country, alias))
  }
  return names
}

/** `count` misspellings: one edit, or, of names of 8 letters or more, one or two. */
export function typosOf(index: PostalIndex, country: Country, count: number, seed: number): Typo[] {
  const random = randomFrom(seed)
  const below = (bound: number) => Math.floor(random() * bound)
  const { placeStart, placeCount } = country.meta
  const typos: Typo[] = []
  for (let tries = 0; typos.length < count && tries < count * 50; tries++) {
    const place = placeStart + below(placeCount)
    const name = placeName(index, place)
    const key = cityKey(name)
    const stateCode = country.cc === 'US' ? adminField(index, placeAdmin(index, place), 1) : undefined
    if (!PLAIN.test(key) || stateCode === '') continue
    let typed = key
    for (let edits = key.length >= 8 ? 1 + below(2) : 1; edits > 0; edits--) typed = edited(typed, below)
    if (cityKey(typed) !== key) typos.push({ name, key, typed, stateCode })
  }
  return typos
}

/** Whether `typed` is nearest to the meant name alone, and that name lies in one region. Decided by comparing all names. */
export function meansOneCity(names: Names, { key, typed, stateCode }: Typo): boolean {
  const wanted = units(cityKey(typed))
  const limit = editsAllowed(wanted.length)
  let nearest = limit + 1
  let found: string[] = []
  for (const [name, regions] of names) {
    if (Math.abs(name.length - wanted.length) > limit || (stateCode !== undefined && !regions.has(stateCode)))
      continue
    const edits = editDistance(wanted, wanted.length, units(name), name.length, limit)
    if (edits > limit || edits > nearest) continue
    if (edits < nearest) found = []
    nearest = edits
    found.push(name)
  }
  const regions = names.get(key)
  return (
    nearest > 0 && found.length === 1 && found[0] === key && (stateCode !== undefined || regions?.size === 1)
  )
}

function units(text: string): Uint16Array {
  return Uint16Array.from(text, character => character.charCodeAt(0))
}

function edited(text: string, below: (bound: number) => number): string {
  const at = below(text.length - 1)
  const letter = LETTERS[below(LETTERS.length)]
  switch (below(4)) {
    case 0:
      return text.slice(0, at) + letter + text.slice(at)
    case 1:
      return text.slice(0, at) + text.slice(at + 1)
    case 2:
      return text.slice(0, at) + letter + text.slice(at + 1)
    default:
      return text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2)
  }
}

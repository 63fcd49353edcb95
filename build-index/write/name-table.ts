/** The HASH and NAME sections: city search by name and by its beginning, and sizes of cities. */

import { compareText } from '../../src/platform/compare-text.ts'
import { cityHash, EMPTY_SLOT, packSlot, slotOf } from '../../src/postal/format/city-hash.ts'
import type { CountryRanges } from '../../src/postal/format/meta.ts'
import { NAME_ENTRY, NAME_LEAD, NAME_WORDS, nameLead, packName } from '../../src/postal/format/names.ts'
import { sharedLength } from '../model.ts'
import { WordWriter } from './byte-writer.ts'

/** Share of used slots. At 0.8 a probe for an absent name reads 13 slots, in one or two cache lines. */
const LOAD = 0.8

const WORDS = 4

/** Name for city search. `index` is a place's, or an alias's if `alias` is true. */
interface NameEntry {
  /** `nameText` of the name. */
  text: string
  key: string
  alias: boolean
  index: number
  codes: number
  /** Text of the name that lists all places of an alias, if there is one. */
  own?: string
}

/** Names of the world: `add` those of a country, then `endCountry`. A million of them are kept as numbers. */
export class NameTable {
  #current: NameEntry[] = []
  /** For each name: hash of the key, lead, mark without entry, and twice the index, plus 1 for an alias. */
  readonly #words = new WordWriter()

  add(name: NameEntry): void {
    this.#current.push(name)
  }

  addCodes(codes: number): void {
    const last = this.#current.at(-1)
    if (last !== undefined) last.codes += codes
  }

  endCountry(country: string): Pick<CountryRanges, 'nameStart' | 'nameCount'> {
    const nameStart = this.length
    const sorted = this.#current.sort((a, b) => compareText(a.text, b.text))
    for (const { text, key, own = '', codes, index, alias } of sorted) {
      const mark = packName(0, codes, sharedLength(text, own))
      this.#words.push(cityHash(country, key), nameLead(text), mark, index * 2 + (alias ? 1 : 0))
    }
    this.#current = []
    return { nameStart, nameCount: sorted.length }
  }

  /** Names of finished countries. */
  get length(): number {
    return this.#words.length / WORDS
  }

  /** @param placeCount number of all places; aliases are numbered after them */
  sections(placeCount: number): Record<'HASH' | 'NAME', Uint8Array> {
    const slots = new Uint32Array(Math.max(8, Math.ceil(this.length / LOAD)))
    const names = new Uint32Array(this.length * NAME_WORDS)
    const words = this.#words.words()
    for (let name = 0; name < this.length; name++) {
      const [hash, lead, mark, index] = words.subarray(name * WORDS)
      const entry = ((index & 1) === 1 ? placeCount : 0) + (index >>> 1)
      names[name * NAME_WORDS + NAME_LEAD] = lead
      names[name * NAME_WORDS + NAME_ENTRY] = mark | entry
      let slot = slotOf(hash, slots.length)
      while (slots[slot] !== EMPTY_SLOT) slot = slot + 1 === slots.length ? 0 : slot + 1
      slots[slot] = packSlot(hash, entry)
    }
    return { HASH: new Uint8Array(slots.buffer), NAME: new Uint8Array(names.buffer) }
  }
}

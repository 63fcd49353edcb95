/** City names of all countries, in the forms that the sections HASH, NAME and LEAD need: numbers, since a world has millions. */
import { cityHash } from '../../src/format/city-hash.ts'
import { GrowableU32 } from './growable.ts'
import { countryNames, type NameEntry, type NameRanges } from './name-section.ts'

/** `add` the names of a country, then `endCountry`. */
export class NameTable {
  #current: NameEntry[] = []
  /** Of all names in order of addition: the hash of the key, then twice the index, and 1 more for an alias. */
  readonly #hashed = new GrowableU32()
  readonly #order = new GrowableU32()
  readonly #leads = new GrowableU32()

  add(name: NameEntry): void {
    this.#current.push(name)
  }

  /** Adds codes to the last name. */
  addCodes(codes: number): void {
    const last = this.#current.at(-1)
    if (last !== undefined) last.codes += codes
  }

  /** The names of the country that has not ended, by city key. */
  currentNames(): ReadonlyMap<string, string> {
    return new Map(this.#current.map(({ key, name }) => [key, name]))
  }

  endCountry(country: string, ranges: NameRanges): void {
    for (const { key, index, alias } of this.#current) {
      this.#hashed.push(cityHash(country, key))
      this.#hashed.push(index * 2 + (alias ? 1 : 0))
    }
    const { order, leads } = countryNames(ranges, this.#current)
    for (const word of order) this.#order.push(word)
    for (const word of leads) this.#leads.push(word)
    this.#current = []
  }

  /** Names so far, without those of a country that has not ended. */
  get length(): number {
    return this.#hashed.length / 2
  }

  /** Calls `visit` with each name in order of addition: the hash of its key, its index, and whether it is an alias. */
  each(visit: (hash: number, index: number, alias: boolean) => void): void {
    for (let at = 0; at < this.#hashed.length; at += 2) {
      const index = this.#hashed.get(at + 1)
      visit(this.#hashed.get(at), index >>> 1, (index & 1) === 1)
    }
  }

  /** What each country has in them, in order of addition. */
  sections(): Record<'NAME' | 'LEAD', Uint8Array> {
    return { NAME: this.#order.bytes(), LEAD: this.#leads.bytes() }
  }
}

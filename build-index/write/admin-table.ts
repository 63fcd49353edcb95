/** The ADMN section: every distinct set of administrative names and codes, once for each time zone that its codes lie in. */
import { getOrMake } from '../../datasets/maps.ts'
import { ADMIN_FIELDS, ADMIN_WORDS, ADMINS_MAX, ZONES_MAX } from '../../src/format/admin-entry.ts'
import type { AdminModel } from '../model.ts'
import { GrowableU32 } from './growable.ts'
import type { TextPool } from './text-pool.ts'

const EMPTY: AdminModel = { name1: '', code1: '', name2: '', code2: '', name3: '', code3: '', extra: {} }

export class AdminTable {
  readonly #text: TextPool
  readonly #words = new GrowableU32()
  /** For each area, a distinct set of names and codes: the words of its entries but for the zone. */
  readonly #areas: number[][] = []
  /** By words: equal texts have one offset, so equal areas have equal words. */
  readonly #areasByWords = new Map<string, number>()
  /** Models are shared by reference, so most look-ups end here. */
  readonly #seen = new WeakMap<AdminModel, number>()
  /** Entries by area and zone: a million places share some thousand of them. */
  readonly #entries = new Map<number, number>()

  constructor(text: TextPool) {
    this.#text = text
    this.entry(this.area(EMPTY), 0)
  }

  /** The number of the area of `admin`: the same for equal ones. */
  area(admin: AdminModel): number {
    return getOrMake(this.#seen, admin, () => {
      const words = ADMIN_FIELDS.map(field => this.#text.add(admin[field]))
      words.push(this.#text.addRaw(extraText(admin.extra)))
      return getOrMake(this.#areasByWords, words.join(), () => this.#areas.push(words) - 1)
    })
  }

  /** Index of the entry for `area` in the time zone with the number `zone`. @throws RangeError past 2^24 entries */
  entry(area: number, zone: number): number {
    return getOrMake(this.#entries, area * (ZONES_MAX + 1) + zone, () => {
      const index = this.#words.length / ADMIN_WORDS
      if (index > ADMINS_MAX) throw new RangeError(`ADMN holds at most ${ADMINS_MAX} entries`)
      for (const word of [...this.#areas[area], zone]) this.#words.push(word)
      return index
    })
  }

  bytes(): Uint8Array {
    return this.#words.bytes()
  }
}

/** The members of `extra` as the inside of a JSON object, by name so that equal sets are equal text. */
export function extraText(extra: Readonly<Record<string, string>>): string {
  const names = Object.keys(extra).sort()
  return names.map(name => `${JSON.stringify(name)}:${JSON.stringify(extra[name])}`).join(',')
}

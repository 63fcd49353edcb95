/** The ADMN section: distinct areas, once for each time zone of their codes. */
import { getOrMake } from '../../datasets/maps.ts'
import { ADMIN_FIELDS, ADMIN_WORDS, ADMINS_MAX, ZONES_MAX } from '../../src/postal/format/admin-entry.ts'
import type { AdminModel } from '../model.ts'
import { WordWriter } from './byte-writer.ts'
import type { TextPool } from './text-pool.ts'

const EMPTY: AdminModel = { name1: '', code1: '', name2: '', code2: '', name3: '', code3: '', extra: {} }

export class AdminTable {
  readonly #text: TextPool
  readonly #words = new WordWriter()
  /** Words of each area's entries, without the zone. */
  readonly #areas: number[][] = []
  readonly #areasByWords = new Map<string, number>()
  readonly #entries = new Map<number, number>()

  constructor(text: TextPool) {
    this.#text = text
    this.entry(this.area(EMPTY), 0)
  }

  area(admin: AdminModel): number {
    const words = ADMIN_FIELDS.map(field => this.#text.add(admin[field]))
    words.push(this.#text.addRaw(extraText(admin.extra)))
    return getOrMake(this.#areasByWords, words.join(), () => this.#areas.push(words) - 1)
  }

  /** Returns the index of the entry. @throws RangeError past 2^24 entries */
  entry(area: number, zone: number): number {
    return getOrMake(this.#entries, area * (ZONES_MAX + 1) + zone, () => {
      const index = this.#words.length / ADMIN_WORDS
      if (index > ADMINS_MAX) throw new RangeError(`ADMN holds at most ${ADMINS_MAX} entries`)
      this.#words.push(...this.#areas[area], zone)
      return index
    })
  }

  bytes(): Uint8Array {
    return this.#words.bytes()
  }
}

/** Returns the inside of a JSON object, sorted by name. */
export function extraText(extra: Readonly<Record<string, string>>): string {
  const names = Object.keys(extra).sort()
  return names.map(name => `${JSON.stringify(name)}:${JSON.stringify(extra[name])}`).join(',')
}

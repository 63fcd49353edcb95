/** The ADMN section: every distinct set of administrative names and codes, once for each time zone that its codes lie in. */
import { ADMIN_FIELDS, ADMIN_WORDS, ADMINS_MAX } from '../../src/format/admin-entry.ts'
import type { AdminModel } from '../model.ts'
import { GrowableU32 } from './growable.ts'
import type { TextPool } from './text-pool.ts'

const EMPTY: AdminModel = { name1: '', code1: '', name2: '', code2: '', name3: '', code3: '', extra: {} }

/** A distinct set of names and codes. */
export interface Area {
  readonly id: number
  /** The words of its entries, but for the zone. */
  readonly words: readonly number[]
  /** Its entries, by the number of their zone. */
  readonly entries: Map<number, number>
}

export class AdminTable {
  readonly #text: TextPool
  readonly #words = new GrowableU32()
  readonly #areas = new Map<string, Area>()
  /** Models are shared by reference, so most look-ups end here. */
  readonly #seen = new WeakMap<AdminModel, Area>()

  constructor(text: TextPool) {
    this.#text = text
    this.entry(this.area(EMPTY), 0)
  }

  /** The area of `admin`: the same for equal ones. */
  area(admin: AdminModel): Area {
    let area = this.#seen.get(admin)
    if (area === undefined) {
      area = this.#find(admin)
      this.#seen.set(admin, area)
    }
    return area
  }

  /** Index of the entry for `area` in the time zone with the number `zone`. @throws RangeError past 2^24 entries */
  entry(area: Area, zone: number): number {
    let index = area.entries.get(zone)
    if (index === undefined) {
      index = this.#words.length / ADMIN_WORDS
      if (index > ADMINS_MAX) throw new RangeError(`ADMN holds at most ${ADMINS_MAX} entries`)
      for (const word of area.words) this.#words.push(word)
      this.#words.push(zone)
      area.entries.set(zone, index)
    }
    return index
  }

  bytes(): Uint8Array {
    return this.#words.bytes()
  }

  #find(admin: AdminModel): Area {
    const extra = extraText(admin.extra)
    const fields = ADMIN_FIELDS.map(field => admin[field])
    const identity = [...fields, extra].join('\0')
    let area = this.#areas.get(identity)
    if (area === undefined) {
      const words = [...fields.map(field => this.#text.add(field)), this.#text.addRaw(extra)]
      area = { id: this.#areas.size, words, entries: new Map() }
      this.#areas.set(identity, area)
    }
    return area
  }
}

/** The members of `extra` as the inside of a JSON object, by name so that equal sets are equal text. */
export function extraText(extra: Readonly<Record<string, string>>): string {
  const names = Object.keys(extra).sort()
  return names.map(name => `${JSON.stringify(name)}:${JSON.stringify(extra[name])}`).join(',')
}

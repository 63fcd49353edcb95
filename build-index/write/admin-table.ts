/** The ADMN section: every distinct set of administrative names and codes, once for each time zone that its codes lie in. */
import { crc32 } from 'node:zlib'
import { ADMIN_FIELDS, ADMIN_WORDS, ADMINS_MAX, ZONES_MAX } from '../../src/format/admin-entry.ts'
import type { AdminModel } from '../model.ts'
import { GrowableU32 } from './growable.ts'
import { Slots } from './slots.ts'
import type { TextPool } from './text-pool.ts'

const EMPTY: AdminModel = { name1: '', code1: '', name2: '', code2: '', name3: '', code3: '', extra: {} }

/** The words of an entry, but for its zone. Equal texts have one offset, so equal areas have equal words. */
const AREA_WORDS = ADMIN_WORDS - 1

export class AdminTable {
  readonly #text: TextPool
  readonly #words = new GrowableU32()
  /** `AREA_WORDS` for each area: a distinct set of names and codes. */
  readonly #areas = new GrowableU32()
  readonly #areasByWords = new Slots()
  readonly #entries = new Slots()
  /** Models are shared by reference, so most look-ups end here. */
  readonly #seen = new WeakMap<AdminModel, number>()
  /** Entries by area and zone: a million places share some thousand of them. */
  readonly #entryOf = new Map<number, number>()

  constructor(text: TextPool) {
    this.#text = text
    this.entry(this.area(EMPTY), 0)
  }

  /** The number of the area of `admin`: the same for equal ones. */
  area(admin: AdminModel): number {
    let area = this.#seen.get(admin)
    if (area === undefined) {
      area = this.#find(admin)
      this.#seen.set(admin, area)
    }
    return area
  }

  /** Index of the entry for `area` in the time zone with the number `zone`. @throws RangeError past 2^24 entries */
  entry(area: number, zone: number): number {
    const id = area * (ZONES_MAX + 1) + zone
    let entry = this.#entryOf.get(id)
    if (entry === undefined) {
      entry = this.#findEntry(area, zone)
      this.#entryOf.set(id, entry)
    }
    return entry
  }

  #findEntry(area: number, zone: number): number {
    const words = this.#areaWords(area)
    const hash = hashOf([...words, zone])
    const known = this.#entries.find(hash, entry => {
      const at = entry * ADMIN_WORDS
      return this.#words.get(at + AREA_WORDS) === zone && this.#words.hasAt(at, words)
    })
    if (known >= 0) return known
    const index = this.#words.length / ADMIN_WORDS
    if (index > ADMINS_MAX) throw new RangeError(`ADMN holds at most ${ADMINS_MAX} entries`)
    for (const word of words) this.#words.push(word)
    this.#words.push(zone)
    this.#entries.add(hash, index)
    return index
  }

  bytes(): Uint8Array {
    return this.#words.bytes()
  }

  #find(admin: AdminModel): number {
    const words = ADMIN_FIELDS.map(field => this.#text.add(admin[field]))
    words.push(this.#text.addRaw(extraText(admin.extra)))
    const hash = hashOf(words)
    const known = this.#areasByWords.find(hash, area => this.#areas.hasAt(area * AREA_WORDS, words))
    if (known >= 0) return known
    const area = this.#areas.length / AREA_WORDS
    for (const word of words) this.#areas.push(word)
    this.#areasByWords.add(hash, area)
    return area
  }

  #areaWords(area: number): number[] {
    return Array.from({ length: AREA_WORDS }, (_, i) => this.#areas.get(area * AREA_WORDS + i))
  }
}

function hashOf(words: readonly number[]): number {
  return crc32(new Uint8Array(Uint32Array.from(words).buffer))
}

/** The members of `extra` as the inside of a JSON object, by name so that equal sets are equal text. */
export function extraText(extra: Readonly<Record<string, string>>): string {
  const names = Object.keys(extra).sort()
  return names.map(name => `${JSON.stringify(name)}:${JSON.stringify(extra[name])}`).join(',')
}

/** The ADMN section: every distinct set of administrative names and codes, with a time zone, once. */
import { ADMIN_WORDS, ADMINS_MAX } from '../src/format/layout.ts'
import { GrowableU32 } from './growable.ts'
import type { AdminModel } from './model.ts'
import type { TextPool } from './text-pool.ts'

const EMPTY: AdminModel = { name1: '', code1: '', name2: '', code2: '', name3: '', code3: '', extra: {} }

export class AdminTable {
  readonly #text: TextPool
  readonly #words = new GrowableU32()
  readonly #indexes = new Map<string, number>()
  /** Models are shared by reference, so most look-ups end here. */
  readonly #seen = new WeakMap<AdminModel, { zone: number; index: number }>()

  constructor(text: TextPool) {
    this.#text = text
    this.add(EMPTY, 0)
  }

  get count(): number {
    return this.#indexes.size
  }

  /** Index of `admin` in the time zone with the number `zone`. @throws RangeError past 2^24 distinct ones */
  add(admin: AdminModel, zone: number): number {
    const seen = this.#seen.get(admin)
    if (seen?.zone === zone) return seen.index
    const index = this.#find(admin, zone)
    this.#seen.set(admin, { zone, index })
    return index
  }

  bytes(): Uint8Array {
    return this.#words.bytes()
  }

  #find(admin: AdminModel, zone: number): number {
    const extra = extraText(admin.extra)
    const fields = [admin.name1, admin.code1, admin.name2, admin.code2, admin.name3, admin.code3]
    const identity = [...fields, extra, zone].join('\0')
    const known = this.#indexes.get(identity)
    if (known !== undefined) return known
    const index = this.#words.length / ADMIN_WORDS
    if (index > ADMINS_MAX) throw new RangeError(`ADMN holds at most ${ADMINS_MAX} entries`)
    for (const field of fields) this.#words.push(this.#text.add(field))
    this.#words.push(this.#text.addRaw(extra))
    this.#words.push(zone)
    this.#indexes.set(identity, index)
    return index
  }
}

/** The members of `extra` as the inside of a JSON object, by name so that equal sets are equal text. */
export function extraText(extra: Readonly<Record<string, string>>): string {
  const names = Object.keys(extra).sort()
  return names.map(name => `${JSON.stringify(name)}:${JSON.stringify(extra[name])}`).join(',')
}

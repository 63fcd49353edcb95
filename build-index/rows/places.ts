/** Places and areas of a country, shared by its codes. */
import { getOrMake } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { AdminModel, PlaceModel } from '../model.ts'

/** Areas, shared by all places in them. Labels tell areas of rows apart: they are names, or else numbers. */
export class Areas implements AdminModel {
  name1 = ''
  code1 = ''
  name2 = ''
  code2 = ''
  name3 = ''
  code3 = ''
  readonly extra: AdminModel['extra']
  #level2: string | undefined

  constructor(fields: Omit<AdminModel, 'extra'>, extra: AdminModel['extra']) {
    for (const field of ADMIN_FIELDS) this[field] = detached(fields[field])
    this.extra = extra
  }

  /** Label of the level-1 area, `''` for none. */
  get level1(): string {
    return this.name1 || this.code1
  }

  /** Label of the level-2 area, `''` for none. */
  get level2(): string {
    const own = this.name2 || this.code2
    this.#level2 ??= own === '' ? '' : `${this.level1}\t${own}`
    return this.#level2
  }

  /** Label of the level-3 area, `''` for none. */
  get level3(): string {
    if (this.name3 === '' || this.level2 === '') return ''
    return `${this.level2}\t${this.name3}`
  }
}

/** A place, shared by all codes with its name and areas. */
export class PlaceDraft implements PlaceModel {
  name: string
  admin: Areas
  aliases: string[]
  /** Place in the gazetteer: undefined before the join, null for none. */
  city: City | null | undefined = undefined
  /** The list `[place]`, shared by all codes that have only this place. */
  readonly onlyThis: readonly PlaceDraft[] = [this]
  #key: string | undefined

  constructor(name: string, admin: Areas, aliases: readonly string[]) {
    this.name = name
    this.admin = admin
    this.aliases = [...aliases]
  }

  get population(): number {
    return this.city?.population ?? 0
  }

  get key(): string {
    this.#key ??= cityKey(this.name)
    return this.#key
  }
}

/** Makes equal places and areas one object: sources have millions of rows. */
export class PlacePool {
  readonly #admins = new Map<string, Areas>()
  readonly #places = new Map<Areas, Map<string, PlaceDraft>>()
  /** Longer lists by list and added place. */
  readonly #joined = new Map<readonly PlaceDraft[], Map<PlaceDraft, readonly PlaceDraft[]>>()

  admin(fields: Omit<AdminModel, 'extra'> & Partial<AdminModel>): Areas {
    const { extra = NO_EXTRA } = fields
    let id = ADMIN_FIELDS.map(field => fields[field]).join('\t')
    if (extra !== NO_EXTRA) id += `\t${JSON.stringify(extra)}`
    return getOrMake(this.#admins, id, () => new Areas(fields, extra))
  }

  place(name: string, admin: Areas, aliases: readonly string[]): PlaceDraft {
    const places = getOrMake(this.#places, admin, () => new Map<string, PlaceDraft>())
    const known = places.get(name)
    if (known === undefined) {
      const place = new PlaceDraft(detached(name), admin, aliases)
      places.set(place.name, place)
      return place
    }
    for (const alias of aliases) if (!known.aliases.includes(alias)) known.aliases.push(alias)
    return known
  }

  /** Returns `places` with `place`, one list for all codes that have the same. */
  joined(places: readonly PlaceDraft[], place: PlaceDraft): readonly PlaceDraft[] {
    const longer = getOrMake(this.#joined, places, () => new Map<PlaceDraft, readonly PlaceDraft[]>())
    return getOrMake(longer, place, () => [...places, place])
  }

  withoutLevel3(admin: AdminModel): Areas {
    return this.admin({ ...admin, name3: '', code3: '' })
  }

  moved(place: PlaceDraft, areas: AdminModel): PlaceDraft {
    return areas === place.admin ? place : this.#changed(place, place.name, this.admin(areas))
  }

  renamed(place: PlaceDraft, name: string): PlaceDraft {
    return this.#changed(place, name, place.admin)
  }

  #changed(place: PlaceDraft, name: string, admin: Areas): PlaceDraft {
    if (name === place.name && admin === place.admin) return place
    const changed = this.place(name, admin, place.aliases)
    changed.city ??= place.city
    return changed
  }

  /** Returns the areas of all places. */
  admins(): Iterable<Areas> {
    return this.#places.keys()
  }
}

const NO_EXTRA: AdminModel['extra'] = Object.freeze({})

/** Returns a copy: a slice keeps the megabyte alive that it was cut from. */
function detached(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString()
}

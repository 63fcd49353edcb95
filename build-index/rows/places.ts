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
export class Place implements PlaceModel {
  readonly name: string
  readonly admin: Areas
  /** The list `[place]`, shared by all codes that have only this place. */
  readonly onlyThis: readonly Place[] = [this]
  /** Other names. Only `learn` adds to them. */
  readonly aliases: string[]
  /** Place in the gazetteer, null for none. Only `learn` sets it. */
  city: City | null
  #key: string | undefined

  constructor(name: string, admin: Areas, aliases: readonly string[], city: City | null) {
    this.name = name
    this.admin = admin
    this.aliases = [...aliases]
    this.city = city
  }

  /** Takes what another row or the gazetteer tells of the place. The first city counts. */
  learn(aliases: readonly string[], city: City | null): void {
    for (const alias of aliases) if (!this.aliases.includes(alias)) this.aliases.push(alias)
    this.city ??= city
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
  readonly #places = new Map<Areas, Map<string, Place>>()
  /** Longer lists by list and added place. */
  readonly #joined = new Map<readonly Place[], Map<Place, readonly Place[]>>()

  admin(fields: Omit<AdminModel, 'extra'> & Partial<AdminModel>): Areas {
    const { extra = NO_EXTRA } = fields
    let id = ADMIN_FIELDS.map(field => fields[field]).join('\t')
    if (extra !== NO_EXTRA) id += `\t${JSON.stringify(extra)}`
    return getOrMake(this.#admins, id, () => new Areas(fields, extra))
  }

  place(name: string, admin: Areas, aliases: readonly string[] = [], city: City | null = null): Place {
    const places = getOrMake(this.#places, admin, () => new Map<string, Place>())
    const known = places.get(name)
    if (known === undefined) {
      const place = new Place(detached(name), admin, aliases, city)
      places.set(place.name, place)
      return place
    }
    known.learn(aliases, city)
    return known
  }

  /** Returns `places` with `place`, one list for all codes that have the same; `places` if they have it. */
  joined(places: readonly Place[], place: Place): readonly Place[] {
    if (places.includes(place)) return places
    const longer = getOrMake(this.#joined, places, () => new Map<Place, readonly Place[]>())
    return getOrMake(longer, place, () => [...places, place])
  }

  withoutLevel3(admin: AdminModel): Areas {
    return this.admin({ ...admin, name3: '', code3: '' })
  }

  moved(place: Place, areas: AdminModel): Place {
    return areas === place.admin ? place : this.#changed(place, place.name, this.admin(areas))
  }

  renamed(place: Place, name: string): Place {
    return this.#changed(place, name, place.admin)
  }

  #changed(place: Place, name: string, admin: Areas): Place {
    if (name === place.name && admin === place.admin) return place
    return this.place(name, admin, place.aliases, place.city)
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

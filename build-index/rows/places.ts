/** Places and areas of a country, shared by its codes. */
import { getOrMake, memoised } from '../../datasets/maps.ts'
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
  #part: string | undefined

  constructor(fields: Omit<AdminModel, 'extra'>, extra: AdminModel['extra']) {
    for (const field of ADMIN_FIELDS) this[field] = detached(fields[field])
    this.extra = extra
  }

  /** Label of the level-1 area, `''` for none. */
  get label(): string {
    return this.name1 || this.code1
  }

  /** Label of the level-2 area, `''` for none. */
  get part(): string {
    const part = this.name2 || this.code2
    this.#part ??= part === '' ? '' : `${this.label}\t${part}`
    return this.#part
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

/** A code in any stage of the build. */
export interface Code {
  readonly key: string
  /** A code of one place has the place's `onlyThis`: millions have no array of their own. */
  places: readonly PlaceDraft[]
}

export function replacePlace(code: Code, i: number, place: PlaceDraft): void {
  if (code.places[i] === place) return
  code.places = code.places.length === 1 ? place.onlyThis : code.places.with(i, place)
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

  /** Adds a place without a position to a code; does nothing if the code has the place. */
  join(code: Code, place: PlaceDraft): void {
    const { places } = code
    if (places.includes(place)) return
    const longer = getOrMake(this.#joined, places, () => new Map<PlaceDraft, readonly PlaceDraft[]>())
    code.places = getOrMake(longer, place, () => [...places, place])
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

/** Returns the places of `codes`, each once. */
export function placesOf<T>(codes: Iterable<{ readonly places: readonly T[] }>): Set<T> {
  const found = new Set<T>()
  for (const { places } of codes) for (const place of places) found.add(place)
  return found
}

/** Returns the areas of all places of `codes`, each once. */
export function adminsOf(codes: Iterable<Code>): Set<Areas> {
  const found = new Set<Areas>()
  for (const { places } of codes) for (const { admin } of places) found.add(admin)
  return found
}

/** Replaces each place of `codes` by `better(place)`, computed once per place. */
export function replacePlaces(codes: Iterable<Code>, better: (place: PlaceDraft) => PlaceDraft): void {
  const betterOnce = memoised(better)
  for (const code of codes)
    for (let i = 0; i < code.places.length; i++) replacePlace(code, i, betterOnce(code.places[i]))
}

/** Replaces the areas of each place of `codes` by `better(areas)`, computed once per areas. */
export function replaceAreas(
  codes: Iterable<Code>,
  pool: PlacePool,
  better: (admin: Areas) => AdminModel,
): void {
  const changed = new Map<AdminModel, Areas>()
  for (const admin of adminsOf(codes)) {
    const areas = pool.admin(better(admin))
    if (areas !== admin) changed.set(admin, areas)
  }
  if (changed.size > 0)
    replacePlaces(codes, place => pool.moved(place, changed.get(place.admin) ?? place.admin))
}

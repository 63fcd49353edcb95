/** Codes and places of one country while rows still come in: the model's shapes, with what only the merge needs. */
import type { City } from '../datasets/cities-500.ts'
import type { Row } from '../datasets/source.ts'
import type { AdminModel, CodeModel, PlaceModel } from './model.ts'

/** A place, shared by all codes that name it alike in the same areas. */
export class PlaceDraft implements PlaceModel {
  name: string
  admin: AdminModel
  aliases: string[]
  /** The gazetteer's entry for it; undefined until joined, null when there is none. */
  city: City | null | undefined = undefined

  constructor(name: string, admin: AdminModel, aliases: readonly string[]) {
    this.name = name
    this.admin = admin
    this.aliases = [...aliases]
  }
}

/** Numbers of one row that belong to its place within the code: latitude, longitude, accuracy. */
export const SPOT_NUMBERS = 3

export class CodeDraft implements CodeModel {
  readonly key: string
  /** Index of the source that the code came from, in order of merit. */
  readonly source: number
  written = ''
  lat = Number.NaN
  lon = Number.NaN
  accuracy = 0
  timezone = ''
  elevation = Number.NaN
  places: PlaceDraft[] = []
  /** `SPOT_NUMBERS` for each of `places`; emptied when the primary place is chosen. */
  spots: number[] = []

  constructor(key: string, source: number) {
    this.key = key
    this.source = source
  }
}

/** Makes equal places and administrative areas one object, so that millions of rows cost little memory. */
export class PlacePool {
  readonly #admins = new Map<string, AdminModel>()
  readonly #places = new Map<AdminModel, Map<string, PlaceDraft>>()

  admin(fields: Omit<AdminModel, 'extra'>, extra: AdminModel['extra'] = NO_EXTRA): AdminModel {
    const { name1, code1, name2, code2, name3, code3 } = fields
    let id = `${name1}\t${code1}\t${name2}\t${code2}\t${name3}\t${code3}`
    if (extra !== NO_EXTRA) id += `\t${JSON.stringify(extra)}`
    let admin = this.#admins.get(id)
    if (admin === undefined) {
      admin = {
        name1: detached(name1),
        code1: detached(code1),
        name2: detached(name2),
        code2: detached(code2),
        name3: detached(name3),
        code3: detached(code3),
        extra,
      }
      this.#admins.set(detached(id), admin)
    }
    return admin
  }

  place(name: string, admin: AdminModel, aliases: readonly string[]): PlaceDraft {
    let places = this.#places.get(admin)
    if (places === undefined) {
      places = new Map()
      this.#places.set(admin, places)
    }
    const known = places.get(name)
    if (known === undefined) {
      const place = new PlaceDraft(detached(name), admin, aliases)
      places.set(place.name, place)
      return place
    }
    for (const alias of aliases) if (!known.aliases.includes(alias)) known.aliases.push(alias)
    return known
  }

  /** Every place that was asked for, each once. */
  *places(): Iterable<PlaceDraft> {
    for (const places of this.#places.values()) yield* places.values()
  }
}

const NO_EXTRA: AdminModel['extra'] = Object.freeze({})

/** A copy that does not keep alive the megabyte of text that `text` was cut from. */
function detached(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString()
}

/** Adds the row's place to `code`, unless it is there. */
export function addPlace(code: CodeDraft, pool: PlacePool, row: Row): void {
  const place = pool.place(row.place, pool.admin(row), row.aliases)
  if (code.places.includes(place)) return
  code.places.push(place)
  code.spots.push(row.lat, row.lon, row.accuracy)
}

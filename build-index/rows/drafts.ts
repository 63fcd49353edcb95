/** Codes and places of a country during a build. */
import { getOrMake } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { NOWHERE } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import type { Accuracy, Kind } from '../../src/postal/format/code-record.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Point } from '../distance.ts'
import type { AdminModel, CodeModel, PlaceModel } from '../model.ts'

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

/** Accuracy above GeoNames' scale: no evidence moves the point, and it is none for other codes. */
export const KNOWN = 7

/** Position of a code. A step replaces it as a whole. */
export interface Position extends Point {
  /** What the source says of the point, on GeoNames' scale: 1 to 6, or `KNOWN`; 0 when unknown. Not written to the index. */
  readonly accuracy: number
  /** Possible error in km of an estimate; 0 for positions from sources. */
  readonly reachKm: number
  /** True if no source gave the position. */
  readonly isDerived: boolean
  /** What the index says of the position, decided at the end: the field `accuracy` of answers; '' until then. */
  readonly grade: Accuracy
}
export const UNPLACED: Position = { ...NOWHERE, accuracy: 0, reachKm: 0, isDerived: false, grade: '' }

/**
 * A code and its places. Millions of codes have one place, so that case costs no array: `places` is then the `onlyThis`
 * of the place.
 */
export class CodeDraft implements CodeModel {
  readonly key: string
  /** Rank of the code's source by merit. */
  readonly source: number
  /** Position in the row of the first place, until the positions are decided. */
  position: Position = UNPLACED
  kind: Kind = ''
  timezone = ''
  elevation = Number.NaN
  places: readonly PlaceDraft[] = NONE
  /** Point that speaks for or against the position: from a weaker source, or of a place that is no longer the first. */
  second: Point | undefined = undefined
  /** True if the position came from a weaker source than the names: it may be a namesake's. */
  isBorrowed = false
  /** True if a weaker source than the names gave areas. */
  hasOtherAreas = false
  /** Positions of `places` in their rows, without the first. */
  #others: Position[] | undefined
  /** Place that became the first, counted in the order of rows. */
  #primary = 0

  constructor(key: string, source: number) {
    this.key = key
    this.source = source
  }

  get lat(): number {
    return this.position.lat
  }

  get lon(): number {
    return this.position.lon
  }

  get grade(): Accuracy {
    return this.position.grade
  }

  /** Adds a place with its own position; does nothing if the code has the place. */
  add(place: PlaceDraft, { lat, lon, accuracy }: Pick<Position, 'lat' | 'lon' | 'accuracy'>): void {
    const position = Number.isNaN(lat) ? UNPLACED : { ...UNPLACED, lat, lon, accuracy }
    if (this.places.length === 0) {
      this.places = place.onlyThis
      this.position = position
    } else if (!this.places.includes(place)) {
      this.places = [...this.places, place]
      this.#others ??= []
      this.#others.push(position)
    }
  }

  /** Returns the position that the row of place `i` has for the code; for the first place, the code's position. */
  rowPositionOf(i: number): Position {
    return i === 0 ? this.position : (this.#others?.[i - 1] ?? UNPLACED)
  }

  /** Replaces the position, and forgets those of further places. */
  settleAt(position: Position): void {
    this.position = position
    this.#others = undefined
  }

  replace(i: number, place: PlaceDraft): void {
    if (this.places[i] === place) return
    this.places = this.places.length === 1 ? place.onlyThis : this.places.with(i, place)
  }

  /** Makes place `i` the first, and drops repeated places. The code's position stays: a better one is decided later. */
  makeFirst(i: number): void {
    this.#primary = i
    const { lat, lon } = this.position
    // The position of another place is better than none.
    if (Number.isNaN(this.rowPositionOf(i).lat) && !Number.isNaN(lat)) this.second ??= { lat, lon }
    if (this.places.length > 1) this.places = [...new Set([this.places[i], ...this.places])]
  }

  /** Returns the position of the first place in its row, and those of all places in the order of rows. */
  rowPositions(): { own: Position; all: readonly Position[] } {
    return { own: this.rowPositionOf(this.#primary), all: [this.position, ...(this.#others ?? [])] }
  }
}

const NONE: readonly PlaceDraft[] = []

/** Makes equal places and areas one object: sources have millions of rows. */
export class PlacePool {
  readonly #admins = new Map<string, Areas>()
  #last: Areas | undefined
  readonly #places = new Map<Areas, Map<string, PlaceDraft>>()
  /** Longer lists by list and added place. */
  readonly #joined = new Map<readonly PlaceDraft[], Map<PlaceDraft, readonly PlaceDraft[]>>()

  admin(fields: Omit<AdminModel, 'extra'>, extra: AdminModel['extra'] = NO_EXTRA): Areas {
    // Rows of one area lie together.
    const last = this.#last
    if (
      last !== undefined &&
      last.extra === extra &&
      ADMIN_FIELDS.every(field => last[field] === fields[field])
    )
      return last
    let id = ADMIN_FIELDS.map(field => fields[field]).join('\t')
    if (extra !== NO_EXTRA) id += `\t${JSON.stringify(extra)}`
    this.#last = getOrMake(this.#admins, id, () => new Areas(fields, extra))
    return this.#last
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
  join(code: CodeDraft, place: PlaceDraft): void {
    const { places } = code
    if (places.includes(place)) return
    const longer = getOrMake(this.#joined, places, () => new Map<PlaceDraft, readonly PlaceDraft[]>())
    code.places = getOrMake(longer, place, () => [...places, place])
  }

  withoutLevel3(admin: AdminModel): Areas {
    return this.pooled({ ...admin, name3: '', code3: '' })
  }

  pooled(admin: AdminModel): Areas {
    return this.admin(admin, admin.extra)
  }

  moved(place: PlaceDraft, areas: AdminModel): PlaceDraft {
    return areas === place.admin ? place : this.#changed(place, place.name, this.pooled(areas))
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

  *places(): Iterable<PlaceDraft> {
    for (const places of this.#places.values()) yield* places.values()
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
export function adminsOf(codes: Iterable<CodeDraft>): Set<Areas> {
  const found = new Set<Areas>()
  for (const { places } of codes) for (const { admin } of places) found.add(admin)
  return found
}

/** Replaces each place of `codes` by `better(place)`, computed once per place. */
export function replacePlaces(codes: Iterable<CodeDraft>, better: (place: PlaceDraft) => PlaceDraft): void {
  const found = new Map<PlaceDraft, PlaceDraft>()
  // Codes of one place lie together, and most places stay.
  let last: PlaceDraft | undefined
  let lastBetter: PlaceDraft | undefined
  for (const code of codes)
    for (let i = 0; i < code.places.length; i++) {
      const place = code.places[i]
      if (place !== last) {
        last = place
        lastBetter = found.get(place)
        if (lastBetter === undefined) {
          lastBetter = better(place)
          found.set(place, lastBetter)
        }
      }
      if (lastBetter !== undefined && lastBetter !== place) code.replace(i, lastBetter)
    }
}

/** Replaces the areas of each place of `codes` by `better(areas)`, computed once per areas. */
export function replaceAreas(
  codes: Iterable<CodeDraft>,
  pool: PlacePool,
  better: (admin: Areas) => AdminModel,
): void {
  const changed = new Map<AdminModel, Areas>()
  for (const admin of adminsOf(codes)) {
    const areas = pool.pooled(better(admin))
    if (areas !== admin) changed.set(admin, areas)
  }
  if (changed.size > 0)
    replacePlaces(codes, place => pool.moved(place, changed.get(place.admin) ?? place.admin))
}

/** Adds a row of the code's own source. The first row decides time zone and elevation; all must agree on the kind. */
export function addRow(code: CodeDraft, pool: PlacePool, row: Row): void {
  if (code.places.length === 0) code.kind = row.kind
  else if (code.kind !== row.kind) code.kind = ''
  code.add(pool.place(row.place, pool.admin(row), row.aliases), row)
  if (code.timezone === '') code.timezone = row.timezone
  if (Number.isNaN(code.elevation)) code.elevation = row.elevation
}

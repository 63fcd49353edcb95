/** Time zone and elevation of each code. */
import { getOrMake } from '../../datasets/maps.ts'
import { currentZone, timeZoneAt } from '../../datasets/reference/time-zone.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'
import { areaLabel } from './area-labels.ts'
import type { Gazetteer } from './gazetteer.ts'
import { isRough } from './grade-positions.ts'

/** How far the nearest place of the country may be whose time zone a position has, the nearer tried first. */
const ZONE_KM = [20, 100, 400]
/** A place this near to a position has its zone. */
const NEAREST_ZONE_KM = 20
/** Share of a country's codes at which map and gazetteer may differ, by name alone too, before the gazetteer is not asked. */
const DIFFERING_MAX = 0.03
/** Share of the certain codes of an area that must have a zone for the others to have it too, and how many at least. */
const AREA_SHARE = 0.97
const AREA_CODES_MIN = 3
/** The map's borders are off by some km. Nearer to one than this, in degrees of latitude, the map alone does not decide. */
const BORDER_DEGREES = 0.1
/** Metres of the shore of the Dead Sea, and of La Rinconada: nobody lives lower or higher. */
const ELEVATION_MIN = -430
const ELEVATION_MAX = 5200

/**
 * Sets the time zone and the elevation of each code. The elevation is the source's, else what the gazetteer's places around say.
 */
export function fillZonesAndHeights(
  codes: readonly CodeDraft[],
  gazetteer: Gazetteer,
  extents: AreaExtents,
): void {
  const zones = new ZoneFinder(codes, gazetteer, extents)
  // Positions away from borders first: they say what the others of their areas are likely to have.
  for (const code of codes) {
    const zone = zones.certain(code)
    if (zone === undefined) continue
    code.timezone = zone
    zones.learn(code)
  }
  for (const code of codes) {
    if (!zones.isDecided(code)) code.timezone = zones.likely(code)
  }
  for (const code of codes) {
    if (!(code.elevation >= ELEVATION_MIN && code.elevation <= ELEVATION_MAX)) code.elevation = Number.NaN
    if (!Number.isNaN(code.elevation) || Number.isNaN(code.lat) || isRough(code)) continue
    const elevation = gazetteer.elevationAt(code.lat, code.lon)
    if (elevation >= ELEVATION_MIN && elevation <= ELEVATION_MAX) code.elevation = elevation
  }
}

/**
 * The time zone of a position: that of the map where no border is near. Near one, it is that of the map if the country's nearest place
 * has it too; else the one that nearly all certain codes of the level-2 or level-1 area have; else that of the nearest place. What a
 * source says counts only for a code without a position, or in a country that the gazetteer does not have.
 */
class ZoneFinder {
  readonly #gazetteer: Gazetteer
  readonly #extents: AreaExtents
  /** True if the gazetteer knows the zones of today: it is older than some reforms. */
  readonly #isTrusted: boolean
  /** By area: how many of its certain codes each zone has. */
  readonly #byArea = new Map<string, Map<string, number>>()
  readonly #ofParts = new Map<AdminModel, ReadonlyMap<string, number>>()
  readonly #decided = new Set<CodeDraft>()
  /** By level-1 area: zones that the map has at its codes. A place of another zone there is a mistake of the gazetteer. */
  readonly #onMap = new Map<string, Set<string>>()

  constructor(codes: readonly CodeDraft[], gazetteer: Gazetteer, extents: AreaExtents) {
    this.#gazetteer = gazetteer
    this.#extents = extents
    this.#isTrusted = gazetteer.zones.size > 1 && this.#differing(codes) <= codes.length * DIFFERING_MAX
  }

  /** How many codes lie next to a place of another zone than the map has there. */
  #differing(codes: readonly CodeDraft[]): number {
    let differing = 0
    for (const code of codes) {
      if (Number.isNaN(code.lat)) continue
      const nextTo = this.#zoneOfNearest(code, NEAREST_ZONE_KM)
      if (nextTo !== '' && nextTo !== timeZoneAt(code.lat, code.lon)) differing++
    }
    return differing
  }

  /** Undefined when a border is near, or a place next to the position has another zone. */
  certain(code: CodeDraft): string | undefined {
    const { lat, lon, timezone } = code
    const { zones } = this.#gazetteer
    const [only, ...others] = zones
    if (only !== undefined && others.length === 0) return only
    const stated = currentZone(timezone)
    if (Number.isNaN(lat) || (zones.size === 0 && stated !== '')) return stated
    const there = timeZoneAt(lat, lon)
    if (zones.size === 0) return there
    const label = areaLabel(code.places[0].admin)
    getOrMake(this.#onMap, label, () => new Set<string>()).add(there)
    if (!zones.has(there)) return undefined
    const lonDegrees = BORDER_DEGREES / Math.max(0.1, Math.cos((lat * Math.PI) / 180))
    for (const [y, x] of AROUND) {
      const zone = timeZoneAt(
        Math.max(-90, Math.min(90, lat + y * BORDER_DEGREES)),
        around(lon + x * lonDegrees),
      )
      // The borders of other countries and the sea do not count.
      if (zone !== there && zones.has(zone)) return undefined
    }
    const nextTo = this.#isTrusted ? this.#zoneOfNearest(code, NEAREST_ZONE_KM) : ''
    if (nextTo === there) return there
    if (nextTo !== '') return undefined
    // Where nobody lives near, the map is coarse, and all places of the county may have another zone.
    const ofPart = zoneOfNearlyAll(this.#zonesOfPart(code.places[0].admin))
    return ofPart === undefined || ofPart === there ? there : undefined
  }

  learn(code: CodeDraft): void {
    // In most countries nothing is left to decide.
    if (this.#gazetteer.zones.size < 2) return
    this.#decided.add(code)
    if (Number.isNaN(code.lat)) return
    for (const area of this.#areasOf(code)) {
      const counts = getOrMake(this.#byArea, area, () => new Map<string, number>())
      counts.set(code.timezone, (counts.get(code.timezone) ?? 0) + 1)
    }
  }

  isDecided(code: CodeDraft): boolean {
    return this.#gazetteer.zones.size < 2 || this.#decided.has(code)
  }

  likely(code: CodeDraft): string {
    const there = timeZoneAt(code.lat, code.lon)
    const label = areaLabel(code.places[0].admin)
    const nearest = this.#isTrusted ? this.#zoneOfNearest(code, NEAREST_ZONE_KM) : ''
    const nextTo = this.#onMap.get(label)?.has(nearest) === true ? nearest : ''
    // The map and the places around err for different reasons: where they agree, 99 percent of the codes of the US are right.
    if (there === nextTo) return there
    for (const area of this.#areasOf(code)) {
      const counts = this.#countsOf(area, code)
      if (counts === undefined || sumOf(counts) < AREA_CODES_MIN) continue
      const zone = zoneOfNearlyAll(counts)
      if (zone !== undefined) return zone
      // An area of two zones decides nothing, nor does the larger area around it.
      break
    }
    if (nextTo !== '') return nextTo
    if (this.#gazetteer.zones.has(there)) return there
    for (const km of ZONE_KM) {
      const nearest = this.#zoneOfNearest(code, km)
      if (nearest !== '') return nearest
    }
    return currentZone(code.timezone) || there
  }

  /**
   * How many codes of an area have which zone for certain. In a county at a border none may be certain, so its places count as well where
   * these are fewer.
   */
  #countsOf(area: string, { places }: CodeDraft): ReadonlyMap<string, number> | undefined {
    const counts = this.#byArea.get(area)
    const isPart = area !== areaLabel(places[0].admin)
    if (!isPart || (counts !== undefined && sumOf(counts) >= AREA_CODES_MIN)) return counts
    const all = new Map(this.#zonesOfPart(places[0].admin))
    for (const [zone, count] of counts ?? []) all.set(zone, (all.get(zone) ?? 0) + count)
    return all
  }

  /** How many places of a level-2 area have which zone. */
  #zonesOfPart(admin: AdminModel): ReadonlyMap<string, number> {
    return getOrMake(this.#ofParts, admin, () => {
      const counts = new Map<string, number>()
      for (const { timezone } of this.#isTrusted ? this.#extents.placesOfPart(admin) : []) {
        const zone = currentZone(timezone)
        counts.set(zone, (counts.get(zone) ?? 0) + 1)
      }
      return counts
    })
  }

  /** The zone of the nearest place of the code's level-1 area; `''` when none is within `km`. */
  #zoneOfNearest({ lat, lon, places }: CodeDraft, km: number): string {
    return currentZone(this.#extents.nearest(places[0].admin, lat, lon, km)?.timezone ?? '')
  }

  /** The level-2 area of a code, then its level-1 area; those that it lacks are left out. */
  #areasOf({ places }: CodeDraft): readonly string[] {
    const { admin } = places[0]
    const label = areaLabel(admin)
    return [admin.name2 === '' ? '' : `${label}\t${admin.name2}`, label].filter(area => area !== '')
  }
}

function zoneOfNearlyAll(counts: ReadonlyMap<string, number>): string | undefined {
  const all = sumOf(counts)
  return [...counts].find(([, count]) => count >= all * AREA_SHARE)?.[0]
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const count of counts.values()) sum += count
  return sum
}

const AROUND: readonly (readonly [y: number, x: number])[] = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
]

/** A longitude in degrees, brought back from beyond the date line. */
function around(lon: number): number {
  return lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon
}

/** Time zone and elevation of each code. */
import { currentZone, timeZoneAt } from '../../datasets/reference/time-zone.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import { areaLabel } from './area-extents.ts'
import { ELEVATION_KM, type Gazetteer } from './gazetteer.ts'

/** How far the nearest place of the country may be whose time zone a position has, the nearer tried first. */
const ZONE_KM = [20, 100, 400]
/** Share of the certain codes of an area that must have a zone for the others to have it too. */
const AREA_SHARE = 0.97
/** The map's borders are off by some km. Nearer to one than this, in degrees of latitude, the map alone does not decide. */
const BORDER_DEGREES = 0.1

/**
 * Sets the time zone and the elevation of each code. The elevation is the source's, else that of the nearest gazetteer place within
 * `ELEVATION_KM`. Returns how many codes have got each.
 */
export function fillZonesAndHeights(
  codes: readonly CodeDraft[],
  gazetteer: Gazetteer,
): { timezone: number; elevation: number } {
  const counts = { timezone: 0, elevation: 0 }
  const zones = new ZoneFinder(gazetteer)
  // Positions away from borders first: they say what the others of their areas are likely to have.
  for (const code of codes) {
    const zone = zones.certain(code)
    if (zone === undefined) continue
    if (zone !== code.timezone) counts.timezone++
    code.timezone = zone
    zones.learn(code)
  }
  for (const code of codes) {
    if (zones.isDecided(code)) continue
    const zone = zones.likely(code)
    if (zone !== code.timezone) counts.timezone++
    code.timezone = zone
  }
  for (const code of codes) {
    if (!Number.isNaN(code.elevation) || Number.isNaN(code.lat)) continue
    const elevation = gazetteer.nearest(code.lat, code.lon, ELEVATION_KM)?.elevation
    if (elevation === undefined || Number.isNaN(elevation)) continue
    code.elevation = elevation
    counts.elevation++
  }
  return counts
}

/**
 * The time zone of a position: that of the map where no border is near, else the one that nearly all certain codes of its level-2 area
 * have, or of its level-1 area, else that of its place in the gazetteer, else that of the country's nearest place. What a source says counts only for a code without a
 * position, or in a country that the gazetteer does not have.
 */
class ZoneFinder {
  readonly #gazetteer: Gazetteer
  /** By area: how many of its certain codes each zone has. */
  readonly #byArea = new Map<string, Map<string, number>>()
  readonly #decided = new Set<CodeDraft>()
  readonly #areas = new Map<AdminModel, readonly string[]>()

  constructor(gazetteer: Gazetteer) {
    this.#gazetteer = gazetteer
  }

  /** Undefined when a border is near. */
  certain({ lat, lon, timezone }: CodeDraft): string | undefined {
    const { zones } = this.#gazetteer
    const [only, ...others] = zones
    if (only !== undefined && others.length === 0) return only
    const stated = currentZone(timezone)
    if (Number.isNaN(lat) || (zones.size === 0 && stated !== '')) return stated
    const there = timeZoneAt(lat, lon)
    if (zones.size === 0) return there
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
    return there
  }

  learn(code: CodeDraft): void {
    // In most countries nothing is left to decide.
    if (this.#gazetteer.zones.size < 2) return
    this.#decided.add(code)
    if (Number.isNaN(code.lat)) return
    for (const area of this.#areasOf(code)) {
      const counts = this.#byArea.get(area) ?? new Map<string, number>()
      this.#byArea.set(area, counts.set(code.timezone, (counts.get(code.timezone) ?? 0) + 1))
    }
  }

  isDecided(code: CodeDraft): boolean {
    return this.#gazetteer.zones.size < 2 || this.#decided.has(code)
  }

  likely(code: CodeDraft): string {
    for (const area of this.#areasOf(code)) {
      const counts = this.#byArea.get(area)
      if (counts === undefined) continue
      const zone = zoneOfNearlyAll(counts)
      if (zone !== undefined) return zone
      // What an area of two zones does not decide, the larger area around it does not either.
      break
    }
    const { lat, lon, timezone, places } = code
    const [{ city }] = places
    if (city) return currentZone(city.timezone)
    const there = timeZoneAt(lat, lon)
    if (this.#gazetteer.zones.has(there)) return there
    for (const km of ZONE_KM) {
      const nearest = this.#gazetteer.nearest(lat, lon, km)
      if (nearest !== null) return currentZone(nearest.timezone)
    }
    return currentZone(timezone) || there
  }

  /** The level-2 area of a code, then its level-1 area; those that it lacks are left out. */
  #areasOf({ places }: CodeDraft): readonly string[] {
    const { admin } = places[0]
    let areas = this.#areas.get(admin)
    if (areas === undefined) {
      const label = areaLabel(admin)
      areas = [admin.name2 === '' ? '' : `${label}\t${admin.name2}`, label].filter(area => area !== '')
      this.#areas.set(admin, areas)
    }
    return areas
  }
}

function zoneOfNearlyAll(counts: ReadonlyMap<string, number>): string | undefined {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return [...counts].find(([, count]) => count >= all * AREA_SHARE)?.[0]
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

/** Time zones and elevations of codes. */
import { addToSet, increment, incrementIn, memoised, sumOf } from '../../datasets/maps.ts'
import { currentZone, timeZoneAt } from '../../datasets/reference/time-zone.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { isPlaced } from '../distance.ts'
import type { Gazetteer } from '../gazetteer/gazetteer.ts'
import type { GradedCode } from '../rows/code.ts'
import type { Areas } from '../rows/places.ts'
import { isFixed, isRough } from '../rows/position.ts'
import {
  AGREED_KM,
  AGREEING_MIN,
  BORDER_DEGREES,
  FEW_SHARE,
  NEARLY_ALL_SHARE,
  PLAIN_METRES,
  REMOTE_KM,
  SURE_SHARE,
} from '../thresholds.ts'

/** Sets time zones and elevations. Places around give an elevation that is missing, and confirm one below the sea. */
export function fillZonesAndHeights(codes: readonly GradedCode[], country: Country): readonly GradedCode[] {
  const { cc, gazetteer } = country
  const found = zonesOf(codes, country)
  // The law of Russia sets the hour by level-1 area. Yakutia has several hours, and none for most codes.
  const zones = cc === 'RU' ? zonesOfAreas(codes, found) : found
  return codes.map((code, i) => {
    const { position, elevation } = code
    if (elevation >= 0) return { ...code, timezone: zones[i] }
    const isSure = isPlaced(position) && !isRough(position)
    const around = isSure ? gazetteer.elevationAt(position.lat, position.lon) : Number.NaN
    // A height below the sea counts only beside places as low: a source has Mackay 76 m below it.
    const isConfirmed = around - elevation <= PLAIN_METRES
    return { ...code, timezone: zones[i], elevation: isConfirmed ? elevation : around }
  })
}

/** Returns the zone of each code. Codes away from borders come first, because they tell the zones of their areas. */
function zonesOf(codes: readonly GradedCode[], country: Country): readonly string[] {
  const finder = new ZoneFinder(codes, country)
  const certain = codes.map(code => {
    const zone = finder.certain(code)
    if (zone !== undefined) finder.learn(code, zone)
    return zone
  })
  return codes.map((code, i) => certain[i] ?? finder.likely(code))
}

/**
 * Returns for each code the zone that nearly all codes of its level-1 area have. The others have a position beyond the
 * border, or none.
 */
function zonesOfAreas(codes: readonly GradedCode[], zones: readonly string[]): readonly string[] {
  const counts = new Map<string, Map<string, number>>()
  for (const [i, { places }] of codes.entries()) incrementIn(counts, places[0].admin.level1, zones[i])
  return codes.map(({ places }, i) => {
    const { level1 } = places[0].admin
    const zone =
      level1 === '' ? undefined : zoneOfNearlyAll(counts.get(level1) ?? new Map(), NEARLY_ALL_SHARE)
    return zone ?? zones[i]
  })
}

/**
 * Finds time zones. Away from borders the map decides. Near a border the first of these decides:
 * 1. the map, if the nearest place has the same zone;
 * 2. nearly all certain codes of the area;
 * 3. the nearest place.
 *
 * The zone of the source counts only for a code without a position, or in a country that the gazetteer lacks.
 */
class ZoneFinder {
  readonly #gazetteer: Gazetteer
  readonly #extents: AreaExtents
  /** True if the gazetteer knows today's zones; it is older than some reforms. */
  readonly #isTrusted: boolean
  /** Number of certain codes by zone, by area. */
  readonly #byArea = new Map<string, Map<string, number>>()
  /** Zones on the map by level-1 area. A place with another zone is a mistake of the gazetteer. */
  readonly #onMap = new Map<string, Set<string>>()

  constructor(codes: readonly GradedCode[], { gazetteer, extents }: Country) {
    this.#gazetteer = gazetteer
    this.#extents = extents
    const isOther = (code: GradedCode) => {
      const { position } = code
      const nearby = isPlaced(position) ? this.#zoneOfNearest(code, AGREED_KM) : ''
      return nearby !== '' && nearby !== timeZoneAt(position.lat, position.lon)
    }
    this.#isTrusted = gazetteer.zones.size > 1 && codes.filter(isOther).length <= codes.length * FEW_SHARE
  }

  /** Returns undefined near a border, or next to a place of another zone. */
  certain(code: GradedCode): string | undefined {
    const { position, timezone } = code
    const { lat, lon } = position
    const { zones } = this.#gazetteer
    const [only] = zones
    if (zones.size === 1) return only
    const stated = currentZone(timezone)
    if (zones.size === 0 && (!isPlaced(position) || stated !== '')) return stated
    if (!isPlaced(position)) return undefined
    const mapZone = timeZoneAt(lat, lon)
    if (zones.size === 0 || isFixed(position)) return mapZone
    const label = code.places[0].admin.level1
    addToSet(this.#onMap, label, mapZone)
    if (!zones.has(mapZone)) return undefined
    const lonDegrees = BORDER_DEGREES / Math.max(0.1, Math.cos((lat * Math.PI) / 180))
    for (const [y, x] of AROUND) {
      const zone = timeZoneAt(
        Math.max(-90, Math.min(90, lat + y * BORDER_DEGREES)),
        Math.max(-180, Math.min(180, lon + x * lonDegrees)),
      )
      // Borders of other countries and the sea do not count.
      if (zone !== mapZone && zones.has(zone)) return undefined
    }
    const nearby = this.#nearbyZone(code)
    if (nearby === mapZone) return mapZone
    if (nearby !== '') return undefined
    // In remote regions the map is coarse.
    const ofLevel2 = zoneOfNearlyAll(this.#zonesOfLevel2(code.places[0].admin))
    return ofLevel2 === undefined || ofLevel2 === mapZone ? mapZone : undefined
  }

  learn(code: GradedCode, zone: string): void {
    if (this.#gazetteer.zones.size < 2 || !isPlaced(code.position) || isFixed(code.position)) return
    for (const area of this.#areasOf(code)) incrementIn(this.#byArea, area, zone)
  }

  likely(code: GradedCode): string {
    const { position } = code
    const hasPosition = isPlaced(position)
    const mapZone = hasPosition ? timeZoneAt(position.lat, position.lon) : ''
    const label = code.places[0].admin.level1
    const nearest = hasPosition ? this.#nearbyZone(code) : ''
    const nearby = this.#onMap.get(label)?.has(nearest) === true ? nearest : ''
    // Map and places err for different reasons: where they agree, 99 percent of US codes are right.
    if (hasPosition && mapZone === nearby) return mapZone
    for (const area of this.#areasOf(code)) {
      const counts = this.#countsOf(area, code)
      if (counts === undefined || sumOf(counts) < AGREEING_MIN) continue
      const zone = zoneOfNearlyAll(counts)
      if (zone !== undefined) return zone
      // An area of two zones decides nothing, and neither does the larger one.
      break
    }
    if (!hasPosition) return currentZone(code.timezone)
    if (nearby !== '') return nearby
    if (this.#gazetteer.zones.has(mapZone)) return mapZone
    return this.#zoneOfNearest(code, REMOTE_KM) || currentZone(code.timezone) || mapZone
  }

  /** Returns the number of certain codes by zone, with places where codes are few, as in a county at a border. */
  #countsOf(area: string, { places }: GradedCode): ReadonlyMap<string, number> | undefined {
    const counts = this.#byArea.get(area)
    const isLevel2 = area !== places[0].admin.level1
    if (!isLevel2 || (counts !== undefined && sumOf(counts) >= AGREEING_MIN)) return counts
    const all = new Map(this.#zonesOfLevel2(places[0].admin))
    for (const [zone, count] of counts ?? []) increment(all, zone, count)
    return all
  }

  /** Returns the number of places by zone in a level-2 area. */
  readonly #zonesOfLevel2 = memoised((admin: Areas): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>()
    if (this.#isTrusted)
      for (const { timezone } of this.#extents.placesOfLevel2(admin)) increment(counts, currentZone(timezone))
    return counts
  })

  /** Returns the zone of the nearest place in the level-1 area; `''` when none is within `km`. */
  #zoneOfNearest({ position, places }: GradedCode, km: number): string {
    const { lat, lon } = position
    return currentZone(this.#extents.nearest(places[0].admin, lat, lon, km)?.timezone ?? '')
  }

  #nearbyZone(code: GradedCode): string {
    return this.#isTrusted ? this.#zoneOfNearest(code, AGREED_KM) : ''
  }

  /** Returns labels of the level-2 area and the level-1 area, if any. */
  #areasOf({ places }: GradedCode): readonly string[] {
    const { admin } = places[0]
    const label = admin.level1
    return [admin.name2 === '' ? '' : `${label}\t${admin.name2}`, label].filter(area => area !== '')
  }
}

function zoneOfNearlyAll(counts: ReadonlyMap<string, number>, share = SURE_SHARE): string | undefined {
  const all = sumOf(counts)
  return [...counts].find(([, count]) => count >= all * share)?.[0]
}

const AROUND: readonly (readonly [y: number, x: number])[] = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
]

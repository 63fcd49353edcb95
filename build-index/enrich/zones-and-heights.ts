/** Time zone and elevation of each code. */
import { currentZone, timeZoneAt } from '../../datasets/reference/time-zone.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import { ELEVATION_KM, type Gazetteer } from './gazetteer.ts'

/** How far the nearest place of the country may be whose time zone a position has, the nearer tried first. */
const ZONE_KM = [20, 100, 400]

/**
 * Sets the time zone and the elevation of each code. The position decides on the zone: that of the map, if the country has it, else that
 * of the country's nearest place, because a position at a border or on a coast may be abroad on the map. What a source says counts
 * only for a code without a position. The elevation is the source's, else that of the nearest gazetteer place within
 * `ELEVATION_KM`. Returns how many codes have got each.
 */
export function fillZonesAndHeights(
  codes: Iterable<CodeDraft>,
  gazetteer: Gazetteer,
): { timezone: number; elevation: number } {
  const counts = { timezone: 0, elevation: 0 }
  for (const code of codes) {
    const placed = !Number.isNaN(code.lat)
    const timezone = zoneOf(code, gazetteer)
    if (timezone !== code.timezone) counts.timezone++
    code.timezone = timezone
    if (Number.isNaN(code.elevation) && placed) {
      const elevation = gazetteer.nearest(code.lat, code.lon, ELEVATION_KM)?.elevation
      if (elevation !== undefined && !Number.isNaN(elevation)) {
        code.elevation = elevation
        counts.elevation++
      }
    }
  }
  return counts
}

/** IANA identifier, or `''` when neither position nor source says anything. */
function zoneOf({ lat, lon, timezone }: CodeDraft, gazetteer: Gazetteer): string {
  const { zones } = gazetteer
  const [only, ...others] = zones
  if (only !== undefined && others.length === 0) return only
  const stated = currentZone(timezone)
  if (Number.isNaN(lat)) return stated
  const there = timeZoneAt(lat, lon)
  if (zones.size === 0 || zones.has(there)) return there
  for (const km of ZONE_KM) {
    const nearest = gazetteer.nearest(lat, lon, km)
    if (nearest !== null) return currentZone(nearest.timezone)
  }
  return zones.has(stated) ? stated : there
}

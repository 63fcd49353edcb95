/** Step 8: time zone and elevation of codes whose sources have none. */
import { timeZoneAt } from '../../datasets/reference/time-zone.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import { ELEVATION_KM, type Gazetteer } from './gazetteer.ts'

/**
 * The time zone is the source's, else the country's only one, else that at the position. The elevation is the source's,
 * else that of the nearest gazetteer place within `ELEVATION_KM`. Returns how many codes got each.
 */
export function fillZonesAndHeights(
  codes: Iterable<CodeDraft>,
  gazetteer: Gazetteer,
): { timezone: number; elevation: number } {
  const counts = { timezone: 0, elevation: 0 }
  for (const code of codes) {
    const placed = !Number.isNaN(code.lat)
    if (code.timezone === '') {
      if (gazetteer.timezone !== '') code.timezone = gazetteer.timezone
      else if (placed) code.timezone = timeZoneAt(code.lat, code.lon)
      if (code.timezone !== '') counts.timezone++
    }
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

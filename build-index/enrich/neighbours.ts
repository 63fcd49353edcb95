/**
 * What is still unknown about a code, from those that begin like it: German codes of post boxes have no position
 * in any open source, but all other codes that begin with 010 are in Dresden.
 */
import { distanceKm } from '../distance.ts'
import type { CodeDraft, PlacePool } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'

/** Characters that a code must share with its neighbours. With fewer they lie too far apart. */
const SHARED_MIN = 3
/** Fewer neighbours than these prove nothing about a name. */
const NEIGHBOURS_MIN = 3
/** Fewer points than these do not show how far apart codes lie. */
const POINTS_MIN = 3

interface Neighbours {
  codes: number
  lat: number
  lon: number
  /** Sum of the squares of their distances from the middle, in km². */
  squares: number
  /** Different points of them, up to `POINTS_MIN`. */
  points: string[]
  /** What all of them have, `null` when they differ. */
  timezone: string | null
  place: CodeDraft['places'][number] | null
}

/**
 * Gives codes without name, position or time zone what their neighbours by number have: the middle of their positions,
 * and the name and time zone where all agree. Returns how many codes gained something.
 */
export function fillFromNeighbours(
  codes: readonly CodeDraft[],
  pool: PlacePool,
  extents: AreaExtents,
): number {
  if (!codes.some(isLacking)) return 0
  const groups = new Map<string, Neighbours>()
  for (const code of codes) {
    const { key, lat, lon, timezone, places } = code
    if (Number.isNaN(lat) || places[0].name === '') continue
    for (let length = SHARED_MIN; length < key.length; length++) {
      const shared = key.slice(0, length)
      const group = groups.get(shared)
      if (group === undefined)
        groups.set(shared, {
          codes: 1,
          lat,
          lon,
          squares: 0,
          points: [`${lat},${lon}`],
          timezone,
          place: places[0],
        })
      else {
        join(group, lat, lon)
        if (group.timezone !== timezone) group.timezone = null
        if (group.place?.name !== places[0].name) group.place = null
      }
    }
  }
  let gained = 0
  for (const code of codes) if (isLacking(code) && fill(code, groups, pool, extents)) gained++
  return gained
}

function isLacking({ lat, timezone, places }: CodeDraft): boolean {
  return Number.isNaN(lat) || timezone === '' || places[0].name === ''
}

function fill(
  code: CodeDraft,
  groups: ReadonlyMap<string, Neighbours>,
  pool: PlacePool,
  extents: AreaExtents,
): boolean {
  let gained = false
  for (let length = code.key.length - 1; length >= SHARED_MIN && isLacking(code); length--) {
    const group = groups.get(code.key.slice(0, length))
    if (group === undefined) continue
    if (Number.isNaN(code.lat) && extents.holds(code.places[0].admin, group.lat, group.lon)) {
      code.setPosition(group.lat, group.lon, 1, reachKm(group))
      gained = true
    }
    if (code.timezone === '' && group.timezone) {
      code.timezone = group.timezone
      gained = true
    }
    if (code.places[0].name === '' && group.place !== null && group.codes >= NEIGHBOURS_MIN) {
      const { name, admin, city } = group.place
      code.replace(0, pool.place(name, admin, []))
      code.places[0].city ??= city
      gained = true
    }
  }
  return gained
}

/** Adds a position to those of `group`. */
function join(group: Neighbours, lat: number, lon: number): void {
  const km = distanceKm(lat, lon, group.lat, group.lon)
  if (group.points.length < POINTS_MIN && !group.points.includes(`${lat},${lon}`))
    group.points.push(`${lat},${lon}`)
  group.squares += (km * km * group.codes) / (group.codes + 1)
  group.codes++
  group.lat += (lat - group.lat) / group.codes
  group.lon += (lon - group.lon) / group.codes
}

/** Two standard deviations, within which nearly all of a group lie; infinite where they lie at too few points to say so. */
function reachKm({ squares, codes, points }: Neighbours): number {
  return points.length < POINTS_MIN ? Number.POSITIVE_INFINITY : 2 * Math.sqrt(squares / codes)
}

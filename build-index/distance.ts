const EARTH_RADIUS_KM = 6371
const RADIANS = Math.PI / 180

/** Position in degrees; NaN when unknown. */
export interface Point {
  readonly lat: number
  readonly lon: number
}

/** Returns true for a known position. */
export function isPlaced({ lat }: Point): boolean {
  return !Number.isNaN(lat)
}

/** Returns the distance on a flat map in km. Below 100 km the error is at most one percent. */
export function kmBetweenDegrees(lat1: number, lon1: number, lat2: number, lon2: number): number {
  let turn = Math.abs(lon1 - lon2)
  if (turn > 180) turn = 360 - turn
  const x = turn * RADIANS * Math.cos(((lat1 + lat2) / 2) * RADIANS)
  const y = (lat1 - lat2) * RADIANS
  return EARTH_RADIUS_KM * Math.sqrt(x * x + y * y)
}

/** Returns the distance in km; NaN if a position is unknown. */
export function kmBetween(a: Point, b: Point): number {
  return kmBetweenDegrees(a.lat, a.lon, b.lat, b.lon)
}

/** Returns true if both positions are known, and at most `km` apart. */
export function isWithin(a: Point, b: Point, km: number): boolean {
  return kmBetween(a, b) <= km
}

/** Distances on the sphere, as half-chords squared: they order as distances do and take no arc sine. */

/** Mean radius of the earth, IUGG. */
const EARTH_METRES = 6_371_008.8
/** Radians of a millionth of a degree. */
export const MILLIONTH = Math.PI / 180 / 1_000_000

/** What rounding may add to a lower bound. */
const ROUNDING = 1 - 1e-9

/**
 * Square of half the chord between two points, 0 to 1: the haversine of the angle between them. Latitudes and longitudes are whole
 * millionths of a degree, whose differences are exact.
 */
export function haversine(north: number, east: number, otherNorth: number, otherEast: number): number {
  const up = Math.sin((otherNorth - north) * (MILLIONTH / 2))
  const along = Math.sin((otherEast - east) * (MILLIONTH / 2))
  return up * up + Math.cos(north * MILLIONTH) * Math.cos(otherNorth * MILLIONTH) * along * along
}

/** Metres between points whose haversine is `h`. */
export function metresOf(h: number): number {
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** The haversine of points that are `metres` apart. */
export function haversineOf(metres: number): number {
  const sine = Math.sin(Math.min(Math.PI / 2, metres / EARTH_METRES / 2))
  return sine * sine
}

/**
 * A lower bound of the haversine of two points whose latitudes and longitudes are `up` and `along` radians apart, of which one has
 * the cosine `cosine` of its latitude and the other a latitude of at most `latitudeMax`, north or south. Fifteen multiplications,
 * no sine: the first terms of the series, which alternate, so that what is left out is on the safe side.
 */
export function leastHaversine(up: number, along: number, cosine: number, latitudeMax: number): number {
  const square = latitudeMax * latitudeMax
  const otherCosine = 1 - square * (0.5 - square * (1 / 24 - square / 720))
  const least = leastHalfSine(up)
  const both = otherCosine > 0 ? least + cosine * otherCosine * leastHalfSine(along) : least
  return both * ROUNDING
}

/** At most the square of the sine of half of `angle`, for 0 to pi. */
function leastHalfSine(angle: number): number {
  const square = angle * angle
  return square * (0.25 - square / 48)
}

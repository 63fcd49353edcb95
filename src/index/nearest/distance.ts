/** Distances on the sphere, as half-chords squared: they order as distances do and take no arc sine. */

/** Mean radius of the earth, IUGG. */
const EARTH_METRES = 6_371_008.8
/** Radians of a millionth of a degree. */
export const MILLIONTH = Math.PI / 180 / 1_000_000
const HALF_MILLIONTH = MILLIONTH / 2

/** What rounding may add to a lower bound. */
const ROUNDING = 1 - 1e-9

/**
 * Square of half the chord from a point to another, 0 to 1: the haversine of the angle between them. No sine is taken for points
 * within eleven degrees.
 * @param cosine of the point's latitude @param sine the same
 * @param up latitude of the other less that of the point, in millionths of a degree @param along longitude, the same
 */
export function haversine(cosine: number, sine: number, up: number, along: number): number {
  const halfUp = up * HALF_MILLIONTH
  const halfAlong = along * HALF_MILLIONTH
  if (halfUp < TINY && halfUp > -TINY && halfAlong < TINY && halfAlong > -TINY)
    return tinyHaversine(cosine, sine, halfUp, halfAlong)
  const north = sineOf(halfUp)
  const square = north * north
  // The cosine of the other latitude, by the sum of two angles.
  const otherCosine = cosine * (1 - 2 * square) - 2 * sine * north * Math.sqrt(1 - square)
  const east = sineOf(halfAlong)
  return square + cosine * otherCosine * east * east
}

/** The same for points within forty kilometres, as nearly all of a search are: two terms of each series, and no root. */
function tinyHaversine(cosine: number, sine: number, halfUp: number, halfAlong: number): number {
  const north = tinySine(halfUp)
  const square = north * north
  const otherCosine = cosine * (1 - 2 * square) - 2 * sine * north * (1 - square * (0.5 + square * 0.125))
  const east = tinySine(halfAlong)
  return square + cosine * otherCosine * east * east
}

/** Radians up to which all further terms are less than what a number can hold. */
const TINY = 0.003

function tinySine(angle: number): number {
  const square = angle * angle
  return angle * (1 - square * (1 / 6 - square * (1 / 120)))
}

/** Below it, the terms of the series that are left out are less than what a number can hold. */
const SERIES_MAX = 0.1

/** The sine of an angle, radians. */
function sineOf(angle: number): number {
  if (angle > SERIES_MAX || angle < -SERIES_MAX) return Math.sin(angle)
  const square = angle * angle
  return angle * (1 - square * (1 / 6 - square * (1 / 120 - square * (1 / 5040 - square * (1 / 362_880)))))
}

/** Below this haversine, the terms of the series of the arc sine that are left out are less than what a number can hold. */
const NEAR_HAVERSINE = 6e-5

/** Metres between points whose haversine is `h`. No arc sine is taken for points within a hundred kilometres. */
export function metresOf(h: number): number {
  const sine = Math.sqrt(h)
  const arc =
    h < NEAR_HAVERSINE
      ? sine * (1 + h * (1 / 6 + h * (3 / 40 + h * (5 / 112))))
      : Math.asin(Math.min(1, sine))
  return 2 * EARTH_METRES * arc
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
  const otherCosine = 1 - square * (0.5 - square * (1 / 24 - square * (1 / 720)))
  const least = leastHalfSine(up)
  const both = otherCosine > 0 ? least + cosine * otherCosine * leastHalfSine(along) : least
  return both * ROUNDING
}

/** Up to this, the first terms of a series take the place of a call, which takes ten times as long. */
const SHORT_ARC = 0.3
/** At least the sum of all further terms of the series of the arc sine up to `SHORT_ARC`, for the fifth power. */
const ARC_REST = 0.08
const ROUNDED_UP = 1 + 1e-9

/** At least the arc sine of `sine`, which is not negative; above one it counts as one. */
export function mostArcSine(sine: number): number {
  const square = sine * sine
  const arc =
    sine < SHORT_ARC ? sine * (1 + square * (1 / 6 + square * ARC_REST)) : Math.asin(Math.min(1, sine))
  return arc * ROUNDED_UP
}

/** At least the sine of `angle`, from 0 to a right angle. */
export function mostSine(angle: number): number {
  return angle < SHORT_ARC ? angle : Math.sin(angle) * ROUNDED_UP
}

/** At most the square of the sine of half of `angle`, for 0 to pi. */
function leastHalfSine(angle: number): number {
  const square = angle * angle
  return square * (0.25 - square * (1 / 48))
}

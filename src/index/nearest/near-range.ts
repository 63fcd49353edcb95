/** The point of a search, and the range around it in which codes are wanted. */
import { leastHaversine, MILLIONTH, mostArcSine, mostSine } from './distance.ts'

/** What decoding a step of a frame may be off by, in millionths of a degree. */
export const STEP_SLACK = 2
export const CIRCLE = 360_000_000
/** Millionths of a degree of a radian, rounded up. */
const MILLIONTHS = (1 / MILLIONTH) * (1 + 1e-9)
/** Numbers of a box in millionths of a degree: south, west, north and east. */
export const SIDES = 4
/** Steps of a frame, and the most that a range of them can be. */
export const STEPS_MAX = 0xffff
/** From this latitude on, a circle around a point may hold the pole. */
const POLAR_RADIANS = Math.PI / 2 - 1e-6

export class NearRange {
  /** The point, in millionths of a degree, and the cosine and sine of its latitude. */
  north = 0
  east = 0
  cosine = 1
  sine = 0
  /** How far north or south, and east or west, of the point codes are wanted, in whole millionths of a degree. */
  up = 0
  along = 0
  /** Whether the range ends before the date line, on both sides: then longitudes can be compared. */
  isPlain = false
  /** The bound for which those two were computed. */
  #bound = Number.NaN

  begin(north: number, east: number): void {
    this.north = north
    this.east = east
    this.cosine = Math.cos(north * MILLIONTH)
    this.sine = Math.sin(north * MILLIONTH)
    this.#bound = Number.NaN
  }

  /** Brings `up` and `along` to what can be within the haversine `bound`. */
  tighten(bound: number): void {
    if (bound === this.#bound) return
    this.#bound = bound
    const angle = 2 * mostArcSine(Math.sqrt(bound))
    this.up = Math.ceil(angle * MILLIONTHS) + STEP_SLACK
    const isPolar = Math.abs(this.north) * MILLIONTH + angle > POLAR_RADIANS
    this.along = isPolar
      ? CIRCLE
      : Math.ceil(mostArcSine(mostSine(angle) / this.cosine) * MILLIONTHS) + STEP_SLACK
    this.isPlain = Math.abs(this.east) + this.along + STEP_SLACK <= CIRCLE / 2
  }

  /** A lower bound of the haversine to box number `box` of `boxes`, or infinity when it lies beyond the range. */
  leastToBox(boxes: Int32Array, box: number): number {
    const at = box * SIDES
    const south = boxes[at]
    const north = boxes[at + 2]
    if (south - this.north > this.up || this.north - north > this.up) return Number.POSITIVE_INFINITY
    const west = boxes[at + 1]
    const east = boxes[at + 3]
    if (this.isPlain && (west - this.east > this.along || this.east - east > this.along))
      return Number.POSITIVE_INFINITY
    return this.leastTo(south, north, west, east)
  }

  /** A lower bound of the haversine from the point to a box, in millionths of a degree. */
  leastTo(south: number, north: number, west: number, east: number): number {
    const up = (this.north < south ? south - this.north : this.north - north) - STEP_SLACK
    let along = 0
    if (this.east < west || this.east > east)
      along = Math.min(turn(west - this.east), turn(this.east - east)) - STEP_SLACK
    const latitudeMax = (north > -south ? north : -south) + STEP_SLACK
    return leastHaversine(
      up > 0 ? up * MILLIONTH : 0,
      along > 0 ? along * MILLIONTH : 0,
      this.cosine,
      latitudeMax * MILLIONTH,
    )
  }
}

/** A difference of two longitudes, in millionths of a degree, as an angle from 0 to a full circle. Twice as fast as a remainder. */
function turn(angle: number): number {
  return angle < 0 ? angle + CIRCLE : angle
}

/** A whole number of steps of a frame, or of cells, for a comparison with those of boxes, or of sites. */
export function wholeSteps(value: number): number {
  return value > STEPS_MAX ? STEPS_MAX + 1 : value < 0 ? -1 : value | 0
}

/**
 * Sections CODE and ACCU: three words of a code, and a byte with its kind and accuracy. The bits of a height are
 * spread over what the other values leave free:
 *
 *   word 0   bits 0-27 latitude    bits 28-31 height 10-13
 *   word 1   bits 0-28 longitude   bits 29-31 height 7-9
 *   word 2   bits 0-24 name        bits 25-31 height 0-6
 */
import { NAME_HEAD_BYTES } from './admin-entry.ts'

export const CODE_WORDS = 3
/** Positions are whole millionths of a degree. */
export const DEGREE_SCALE = 1_000_000

/** Lowest elevation of a record, in metres. */
const ELEVATION_MIN = -5000
/** Highest elevation of a record, in metres. */
const ELEVATION_MAX = ELEVATION_MIN + 0x3ffe
/** Highest offset of a name of a code's place in TEXT, from the country's first name on. */
const NAMES_BYTES_MAX = 0x1ff_ffff

const LATITUDE_ZERO = 90 * DEGREE_SCALE
const LATITUDE_BITS = 0x0fff_ffff
const LONGITUDE_ZERO = 180 * DEGREE_SCALE
const LONGITUDE_BITS = 0x1fff_ffff
const NO_POSITION = LATITUDE_BITS
const NO_ELEVATION = 0x3fff

export interface CodeRecord {
  lat: number
  lon: number
  elevation: number
}

/** Packs the words of a record. @param name offset from the country's first name on @throws RangeError */
export function packCode({ lat, lon, elevation }: CodeRecord, name: number): [number, number, number] {
  const isPlaced = !Number.isNaN(lat)
  const north = isPlaced ? Math.round(lat * DEGREE_SCALE) + LATITUDE_ZERO : NO_POSITION
  const east = isPlaced ? Math.round(lon * DEGREE_SCALE) + LONGITUDE_ZERO : 0
  const height = Number.isNaN(elevation) ? NO_ELEVATION : elevation - ELEVATION_MIN
  if (isPlaced && !(inside(north, 2 * LATITUDE_ZERO) && inside(east, 2 * LONGITUDE_ZERO)))
    throw new RangeError(`the position ${lat},${lon} was found, degrees expected. Correct the source`)
  if (height !== NO_ELEVATION && !inside(height, NO_ELEVATION - 1))
    throw new RangeError(
      `an elevation of ${elevation} m was found, ${ELEVATION_MIN} to ${ELEVATION_MAX} expected. Correct the source`,
    )
  if (!inside(name, NAMES_BYTES_MAX))
    throw new RangeError(`the place names of a country take more than ${NAMES_BYTES_MAX} bytes`)
  return [
    (north | ((height >>> 10) << 28)) >>> 0,
    (east | (((height >>> 7) & 7) << 29)) >>> 0,
    (name | ((height & 0x7f) << 25)) >>> 0,
  ]
}

export function isPlaced(codes: Uint32Array, code: number): boolean {
  return (codes[code * CODE_WORDS] & LATITUDE_BITS) !== NO_POSITION
}

/** Returns millionths of a degree, meaningless unless `isPlaced`. */
export function latitude(codes: Uint32Array, code: number): number {
  return (codes[code * CODE_WORDS] & LATITUDE_BITS) - LATITUDE_ZERO
}

/** Returns millionths of a degree, meaningless unless `isPlaced`. */
export function longitude(codes: Uint32Array, code: number): number {
  return (codes[code * CODE_WORDS + 1] & LONGITUDE_BITS) - LONGITUDE_ZERO
}

export function hasElevation(codes: Uint32Array, code: number): boolean {
  return height(codes, code) !== NO_ELEVATION
}

/** Returns metres, meaningless unless `hasElevation`. */
export function elevation(codes: Uint32Array, code: number): number {
  return height(codes, code) + ELEVATION_MIN
}

/** Returns the offset in TEXT of a code's primary name. `adminBefore` reads its index into ADMN. */
export function nameOfCode(
  { codes }: { readonly codes: Uint32Array },
  { textStart }: { readonly textStart: number },
  code: number,
): number {
  return textStart + (codes[code * CODE_WORDS + 2] & NAMES_BYTES_MAX) + NAME_HEAD_BYTES
}

function height(codes: Uint32Array, code: number): number {
  const at = code * CODE_WORDS
  return ((codes[at] >>> 28) << 10) | ((codes[at + 1] >>> 29) << 7) | (codes[at + 2] >>> 25)
}

function inside(value: number, max: number): boolean {
  return value >= 0 && value <= max
}

/** Accuracies by number, roughest first. */
export const ACCURACIES = ['', 'area', 'place', 'code'] as const
export type Accuracy = (typeof ACCURACIES)[number]

/** Kinds of codes by number. `unique`: one large receiver. `pickup`: a parcel machine or a shop. */
export const CODE_KINDS = ['', 'street', 'box', 'unique', 'military', 'pickup'] as const
export type Kind = (typeof CODE_KINDS)[number]

export function packGrade(accuracy: Accuracy, kind: Kind): number {
  return ACCURACIES.indexOf(accuracy) | (CODE_KINDS.indexOf(kind) << 2)
}

export function accuracyAt(grades: Uint8Array, code: number): number {
  return grades[code] & 3
}

export function kindAt(grades: Uint8Array, code: number): number {
  return grades[code] >> 2
}

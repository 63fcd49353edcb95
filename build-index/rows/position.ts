/** Positions of codes, and the accuracy that sources give them. */
import { NOWHERE } from '../../datasets/row.ts'
import type { Accuracy } from '../../src/postal/format/code-entry.ts'
import type { Point } from '../distance.ts'
import { SAME_PLACE_KM } from '../thresholds.ts'

/** Accuracy above GeoNames' scale: no evidence moves the point, and it is none for other codes. */
export const FIXED = 7

/** Ten metres in degrees; nearer points are one. */
const POINT_DEGREES = 1e-4

/** Position in a row. */
export interface RowPosition extends Point {
  /** Accuracy that the source states: 1 to 6 as in GeoNames, or `FIXED`; 0 if none. Not in the index. */
  readonly statedAccuracy: number
}

/** Position of a code. A step replaces it as a whole. */
export interface Position extends RowPosition {
  /** Possible error in km of an estimate; 0 for positions of sources and of places. */
  readonly reachKm: number
  /** True if no source gave the position. */
  readonly isDerived: boolean
}

export interface GradedPosition extends Position {
  /** Accuracy in the index and in answers. */
  readonly accuracy: Accuracy
}

export const UNPLACED: GradedPosition = {
  ...NOWHERE,
  statedAccuracy: 0,
  reachKm: 0,
  isDerived: false,
  accuracy: '',
}

/** Returns true for a point that no evidence moves, and that is none for other codes. */
export function isFixed({ statedAccuracy }: RowPosition): boolean {
  return statedAccuracy === FIXED
}

/** Returns true for an estimate that is too rough for an answer. It still tells time zones and cities. */
export function isRough({ reachKm }: Position): boolean {
  return reachKm > SAME_PLACE_KM
}

/** Returns the number of the square of ten metres around a position. */
export function pointOf(lat: number, lon: number): number {
  return Math.round(lat / POINT_DEGREES) * 1e7 + Math.round(lon / POINT_DEGREES)
}

/** Sections PLAC and ALIA. A reference is an index, or with its high bit the offset of a list in POST. */
import { ADMINS_MAX } from './admin-entry.ts'

export const PLACE_WORDS = 3
/** Offset of its name in TEXT. */
export const PLACE_NAME = 0
/** Index into ADMN, and the bit of `hasSameKey`. */
export const PLACE_ADMIN = 1
/** Reference to its codes. */
export const PLACE_CODES = 2

export const ALIAS_WORDS = 2
/** Offset of its name in TEXT. */
export const ALIAS_NAME = 0
/** Reference to its places. */
export const ALIAS_PLACES = 1

const HIGH_BIT = 0x8000_0000

/** Packs the second word of a place. @param isSameKey true if the place before it has the same city key */
export function packAdmin(admin: number, isSameKey: boolean): number {
  return (admin | (isSameKey ? HIGH_BIT : 0)) >>> 0
}

export function adminOf(word: number): number {
  return word & ADMINS_MAX
}

/** Returns true if the place before has the same city key. @param word second word of a place */
export function hasSameKey(word: number): boolean {
  return (word & HIGH_BIT) !== 0
}

export function packListReference(offset: number): number {
  return (HIGH_BIT | offset) >>> 0
}

/** Returns true if a reference leads to a list. Otherwise it is the only index. */
export function isList(reference: number): boolean {
  return (reference & HIGH_BIT) !== 0
}

export function listOffset(reference: number): number {
  return reference & ~HIGH_BIT
}

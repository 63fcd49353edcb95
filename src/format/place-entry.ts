/**
 * The PLAC and ALIA sections: places with their codes, and other names with the places that they mean. A reference is either
 * the only index or, with its high bit set, the offset of a list in POST.
 */
import { ADMINS_MAX } from './admin-entry.ts'

export const PLACE_WORDS = 3
/** Words of a place: offset of its name in TEXT; index into ADMN and `SAME_KEY`; reference to its codes. */
export const PLACE_NAME = 0
export const PLACE_AREA = 1
export const PLACE_CODES = 2

export const ALIAS_WORDS = 2
/** Words of an alias: offset of its name in TEXT; reference to its places. */
export const ALIAS_NAME = 0
export const ALIAS_PLACES = 1

const HIGH_BIT = 0x8000_0000

/** The second word of a place. @param sameKey whether its city key is that of the place before it */
export function packArea(admin: number, sameKey: boolean): number {
  return (admin | (sameKey ? HIGH_BIT : 0)) >>> 0
}

export function areaAdmin(word: number): number {
  return word & ADMINS_MAX
}

/** True if the second word of a place says that its city key is that of the place before it. */
export function hasSameKey(word: number): boolean {
  return (word & HIGH_BIT) !== 0
}

export function packListReference(offset: number): number {
  return (HIGH_BIT | offset) >>> 0
}

/** True if a reference leads to a list. Otherwise it is the only index itself. */
export function isList(reference: number): boolean {
  return (reference & HIGH_BIT) !== 0
}

export function listOffset(reference: number): number {
  return reference & ~HIGH_BIT
}

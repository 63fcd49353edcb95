/**
 * The NAME section: the city names of each country in the order of their texts. The SUMS section: the codes and areas of names
 * with many places, so that nobody adds them up. FORMAT.md draws both.
 */
import { AREAS_PER_SUGGESTION_MAX } from '../limits.ts'

/** Words of a name: how its text begins, then its entry in HASH and its mark. */
export const NAME_WORDS = 2
export const NAME_LEAD = 0
export const NAME_ENTRY = 1

/** UTF-16 units of a text that its lead has, a byte each, the first in the high byte. */
export const LEAD_UNITS = 4
/** Units from this number on have one byte in common, as have all bytes after it. */
export const LEAD_UNIT_MAX = 0xff

/** The first units of `text` as a word: of two different words the smaller is that of the smaller text. */
export function nameLead(text: string): number {
  let lead = 0
  let unit = 0
  for (let i = 0; i < LEAD_UNITS; i++) {
    if (unit !== LEAD_UNIT_MAX) unit = i < text.length ? Math.min(text.charCodeAt(i), LEAD_UNIT_MAX) : 0
    lead = (lead << 8) | unit
  }
  return lead >>> 0
}

const ENTRY_BITS = 0x00ff_ffff
const SIZE_SHIFT = 24
/** Greatest size of a name: the number of bits of the number of its codes. */
export const SIZE_MAX = 31
const SHARED_SHIFT = 29
/** Units from this number on are not counted apart. */
export const SHARED_MAX = 7

/**
 * The second word of a name.
 * @param entry index of a place, or number of places + index of an alias
 * @param codes of its places together; a code of two of them counts twice
 * @param shared for another name of places that have one name of their own: how many units both begin with alike; otherwise 0
 */
export function packName(entry: number, codes: number, shared: number): number {
  const size = Math.min(32 - Math.clz32(codes), SIZE_MAX)
  return (entry | (size << SIZE_SHIFT) | (Math.min(shared, SHARED_MAX) << SHARED_SHIFT)) >>> 0
}
export function nameEntry(word: number): number {
  return word & ENTRY_BITS
}
export function nameSize(word: number): number {
  return (word >>> SIZE_SHIFT) & SIZE_MAX
}
export function nameShared(word: number): number {
  return word >>> SHARED_SHIFT
}

/** Names with fewer places are added up when they are asked for. */
export const SUMS_PLACES_MIN = 9
/** Words of a sum: the entry of its name, the number of codes, and the indexes of its areas in ADMN, 0 for none. */
export const SUMS_WORDS: number = 2 + AREAS_PER_SUGGESTION_MAX
export const SUMS_ENTRY = 0
export const SUMS_CODES = 1
export const SUMS_ADMINS = 2

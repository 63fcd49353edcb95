/** Section NAME: city names of each country, in order. */
export const NAME_WORDS = 2
/** Word with the beginning of the text. */
export const NAME_LEAD = 0
/** Word with the entry in HASH, the size and the shared units. */
export const NAME_ENTRY = 1

/** UTF-16 units of a lead, a byte each, the first in the high byte. */
export const LEAD_UNITS = 4
/** Byte of all units from this number on, and of all units after it. */
export const LEAD_UNIT_MAX = 0xff

/** Returns the first units of `text` as a word. Of two different words, the smaller has the smaller text. */
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
/** Sizes of a name per doubling of its number of codes. */
const SIZES_PER_DOUBLING = 1.75
/** Largest size of a name: that of 200,000 codes. */
export const SIZE_MAX = 31
const SHARED_SHIFT = 29
/** Largest number of shared units. */
export const SHARED_MAX = 7

/**
 * Packs the second word of a name. @param entry index of a place, or number of places + index of an alias
 * @param codes of its places; a code of two places counts twice
 * @param shared number of first units that an alias shares with the one name of its places; otherwise 0
 */
export function packName(entry: number, codes: number, shared: number): number {
  const size = Math.min(Math.round(SIZES_PER_DOUBLING * Math.log2(codes + 1)), SIZE_MAX)
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

/**
 * The NAME section: for each country the entries of its city names in the order of `nameText`, and for each eight of them how large
 * the largest is. The LEAD section: how the first of each eight begins, and a byte for each name. FORMAT.md draws both.
 */

/** Names of a block of the lowest level, and blocks of a block of any other. */
export const NAME_FANOUT = 8
/** The same as a power of two. */
export const NAME_FANOUT_BITS = 3
/** First word of a country: the number of its names in the low bits, and above them the bits of one. */
export const NAME_COUNT_BITS = 0x00ff_ffff
export const NAME_BITS_SHIFT = 24
export const NAME_BITS_MAX = 24

/** Size class of a name whose places have `codes` codes: the bits of that number. */
export function sizeClass(codes: number): number {
  return 32 - Math.clz32(codes)
}

/** Bits that an entry below `entries` takes. */
export function bitsOf(entries: number): number {
  return 32 - Math.clz32(Math.max(0, entries - 1))
}

/** Numbers of blocks of `count` names, from the lowest level up to one block; none for no names. */
export function nameLevels(count: number): number[] {
  const levels: number[] = []
  let blocks = count
  while (blocks > 1 || (blocks === 1 && levels.length === 0)) {
    blocks = Math.ceil(blocks / NAME_FANOUT)
    levels.push(blocks)
  }
  return levels
}

/** Words of the entries, and of the sizes after them. */
export function entryWords(count: number, bits: number): number {
  return Math.ceil((count * bits) / 32)
}
export function sizeWords(count: number): number {
  return Math.ceil(nameLevels(count).reduce((sum, blocks) => sum + blocks, 0) / 4)
}

/** Puts `entry` at place `position` of the entries that begin at word `at`. They must be zero before. */
export function putEntry(
  words: Uint32Array,
  at: number,
  position: number,
  bits: number,
  entry: number,
): void {
  const bit = position * bits
  const word = at + (bit >>> 5)
  const shift = bit & 31
  words[word] |= entry << shift
  if (shift + bits > 32) words[word + 1] |= entry >>> (32 - shift)
}

/** The entry at place `position` of the entries that begin at word `at`. Positions times bits stay below 2^31. */
export function readEntry(words: Uint32Array, at: number, position: number, bits: number): number {
  const bit = position * bits
  const word = at + (bit >>> 5)
  const shift = bit & 31
  const low = words[word] >>> shift
  const both = shift + bits > 32 ? low | (words[word + 1] << (32 - shift)) : low
  return both & ((1 << bits) - 1)
}

/** Words of LEAD for each block of eight names: the first units of the text of its first name, two in a word, the first on top. */
export const LEAD_WORDS = 2
export const LEAD_UNITS = 4

/** Words of LEAD that a country with `count` names has: those of its blocks, then a mark for each name. */
export function leadWords(count: number): number {
  return Math.ceil(count / NAME_FANOUT) * LEAD_WORDS + Math.ceil(count / 4)
}

/** One of the two words for `text`; units that it does not have are 0. */
export function leadWord(text: string, word: number): number {
  const unit = word * 2
  return ((unitAt(text, unit) << 16) | unitAt(text, unit + 1)) >>> 0
}

function unitAt(text: string, unit: number): number {
  return unit < text.length ? text.charCodeAt(unit) : 0
}

/** Units from this number on are not counted apart. */
export const SHARED_MAX = 7
const SIZE_BITS = 5
const SIZE_MASK = (1 << SIZE_BITS) - 1

/**
 * The mark of a name. @param size its size class
 * @param shared for another name of places that have one name of their own: how many units both begin with alike; otherwise 0
 */
export function packMark(size: number, shared: number): number {
  return Math.min(size, SIZE_MASK) | (Math.min(shared, SHARED_MAX) << SIZE_BITS)
}
export function markSize(mark: number): number {
  return mark & SIZE_MASK
}
export function markShared(mark: number): number {
  return mark >>> SIZE_BITS
}

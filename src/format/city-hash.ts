/** The sections HASH, PSIG and ASIG, and `known` of META: hash, signature and length slot of a city key, and a slot of HASH. */

/** City keys of this length and above share the last slot of `placeLengths`. */
export const KEY_LENGTH_SLOTS = 33
/** Places and aliases together: a slot of HASH holds 1 + entry in 24 bits. */
export const ENTRIES_MAX = 0x00ff_fffe

export const EMPTY_SLOT = 0
const TAG_SHIFT = 24
const TAG_BITS = 0xff
const ENTRY_BITS = 0x00ff_ffff

/**
 * 32-bit hash of a city key within a country: FNV-1a over its UTF-16 units, then the finalizer of MurmurHash3, because
 * the slot is taken from the high bits and FNV alone leaves those poor for short keys.
 * @returns 0 to 2^32 - 1
 */
export function cityHash(country: string, key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < 2; i++) hash = Math.imul(hash ^ country.charCodeAt(i), 0x01000193)
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

export function slotOf(hash: number, slots: number): number {
  return Math.floor((hash / 0x1_0000_0000) * slots)
}

/** A slot for the name with this hash. @param entry index of a place, or number of places + index of an alias */
export function packSlot(hash: number, entry: number): number {
  return (((hash & TAG_BITS) << TAG_SHIFT) | (entry + 1)) >>> 0
}

/** True if a slot may be that of the name with this hash: one in 256 others passes. */
export function hasTag(slot: number, hash: number): boolean {
  return slot >>> TAG_SHIFT === (hash & TAG_BITS)
}

export function slotEntry(slot: number): number {
  return (slot & ENTRY_BITS) - 1
}

/**
 * The letters that share bits of a signature, and how many: the first two letters of `tj` in a key set its two bits. The 32
 * bits were dealt out by hill climbing on 40,000 pairs of names from nine countries: of names that the counts of all 26
 * letters tell apart, one in 400 has a signature that does not.
 */
export const SIGNATURE_GROUPS: readonly (readonly [letters: string, bits: number])[] = [
  ['a', 3],
  ['e', 2],
  ['i', 2],
  ['o', 2],
  ['u', 1],
  ['n', 2],
  ['r', 2],
  ['s', 2],
  ['p', 1],
  ['b', 1],
  ['m', 1],
  ['h', 1],
  ['tj', 2],
  ['lx', 2],
  ['cy', 2],
  ['zd', 2],
  ['vgw', 2],
  ['kqf', 2],
]

const LETTER_A = 97
const LETTER_Z = 122
const GROUP_BITS = groupBits()

/** For each letter, the bits of its group: the groups take theirs one after another, from bit 0 on. */
function groupBits(): Uint32Array {
  const masks = new Uint32Array(LETTER_Z - LETTER_A + 1)
  let first = 0
  for (const [letters, bits] of SIGNATURE_GROUPS) {
    for (const letter of letters) masks[letter.charCodeAt(0) - LETTER_A] = ((1 << bits) - 1) << first
    first += bits
  }
  return masks
}

/**
 * Which characters a key has and, of the common ones, whether several. A letter `a`-`z` sets the lowest bit of its group that
 * no letter before has set; any other unit sets the bit that the top 5 bits of its product with 9E3779B1 (hex) number. So an
 * edit takes away at most one bit and adds at most one.
 * @returns 0 to 2^32 - 1
 */
export function signatureOf(key: string): number {
  let letters = 0
  let others = 0
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    if (unit >= LETTER_A && unit <= LETTER_Z) {
      const free = GROUP_BITS[unit - LETTER_A] & ~letters
      letters |= free & -free
    } else others |= 1 << (Math.imul(unit, 0x9e3779b1) >>> 27)
  }
  return (letters | others) >>> 0
}

/** Slot of `placeLengths` and `aliasLengths` for a key of `length` units. */
export function lengthSlot(length: number): number {
  return Math.min(length, KEY_LENGTH_SLOTS - 1)
}

/**
 * Bytes of a word of `known`, which names a large city of the world, or a town that has no code in its country: the upper 28 bits of the
 * hash of its city key, in no country or in its own, and in the lower 4 its size. Words ascend.
 */
export const KNOWN_WORD_BYTES = 4
/** People that the smallest of these cities has. */
export const KNOWN_POPULATION_MIN = 100_000

const SIZE_BITS = 4
const SIZE_MASK = (1 << SIZE_BITS) - 1
/** No country: the same name has one hash for all. */
const NOWHERE = 'ZZ'

/** The word of a city with this key. Its size is the number of times that its population doubles the smallest. */
export function knownWord(key: string, population: number, country = NOWHERE): number {
  const size = Math.floor(Math.log2(Math.max(1, population / KNOWN_POPULATION_MIN)))
  return (knownHash(key, country) | Math.min(SIZE_MASK, size)) >>> 0
}

export function knownHash(key: string, country = NOWHERE): number {
  return (cityHash(country, key) & ~SIZE_MASK) >>> 0
}

/** Size of the city that `word` stands for when it has the hash, else -1. */
export function knownSize(word: number, hash: number): number {
  return (word & ~SIZE_MASK) >>> 0 === hash ? word & SIZE_MASK : -1
}

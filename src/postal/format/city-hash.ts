/** Sections HASH, PSIG and ASIG, and `known` of META: hashes, signatures and length slots of city keys. */

/** Slots of `placeLengths`. City keys of this length and above share the last one. */
export const KEY_LENGTH_SLOTS = 33
/** Maximum number of places and aliases together: a slot of HASH has 1 + entry in 24 bits. */
export const ENTRIES_MAX = 0x00ff_fffe

export const EMPTY_SLOT = 0
const TAG_SHIFT = 24
const TAG_BITS = 0xff
const ENTRY_BITS = 0x00ff_ffff

/** Returns FNV-1a over UTF-16 units, and the finalizer of MurmurHash3, which mixes the high bits better. */
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

/** Packs a slot. @param entry index of a place, or number of places + index of an alias */
export function packSlot(hash: number, entry: number): number {
  return (((hash & TAG_BITS) << TAG_SHIFT) | (entry + 1)) >>> 0
}

/** Returns true if a slot may have the name with this hash. One in 256 others also passes. */
export function hasTag(slot: number, hash: number): boolean {
  return slot >>> TAG_SHIFT === (hash & TAG_BITS)
}

export function slotEntry(slot: number): number {
  return (slot & ENTRY_BITS) - 1
}

/**
 * Letters that share bits of a signature, and the number of bits. Assigned by hill climbing on 40,000 pairs
 * of names from nine countries: one in 400 pairs with different counts of letters has the same signature.
 */
const SIGNATURE_GROUPS: readonly (readonly [letters: string, bits: number])[] = [
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

/** Returns the bits of each letter's group. Groups take bits in order, from bit 0 on. */
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
 * Returns the signature of a key, 0 to 2^32 - 1: its characters and, for common ones, repetitions. A letter
 * `a`-`z` sets the lowest unset bit of its group. Any other unit sets the bit with the number in the top 5
 * bits of its product with 9E3779B1 (hex). So an edit removes at most one bit and adds at most one.
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

/** Returns the slot of `placeLengths` and `aliasLengths` for a key of `length` units. */
export function lengthSlot(length: number): number {
  return Math.min(length, KEY_LENGTH_SLOTS - 1)
}

/**
 * Bytes of a word of `known`, for a large city of the world, or a town without codes in its country: 28 bits
 * of the hash of its city key, in no country or in its own, then 4 bits of its size. Words ascend.
 */
export const KNOWN_WORD_BYTES = 4
/** Population of the smallest of these cities. */
export const KNOWN_POPULATION_MIN = 100_000

const SIZE_BITS = 4
const SIZE_MASK = (1 << SIZE_BITS) - 1
/** Country of cities of the world. */
const NOWHERE = 'ZZ'

/** Returns the word of a city. Its size is how many times its population doubles KNOWN_POPULATION_MIN. */
export function knownWord(key: string, population: number, country = NOWHERE): number {
  const size = Math.floor(Math.log2(Math.max(1, population / KNOWN_POPULATION_MIN)))
  return (knownHash(key, country) | Math.min(SIZE_MASK, size)) >>> 0
}

export function knownHash(key: string, country = NOWHERE): number {
  return (cityHash(country, key) & ~SIZE_MASK) >>> 0
}

/** Returns the size of the city in `word` if it has the hash, else -1. */
export function knownSize(word: number, hash: number): number {
  return (word & ~SIZE_MASK) >>> 0 === hash ? word & SIZE_MASK : -1
}

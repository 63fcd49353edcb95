/** Hash, signature and length slot of a city key: what the builder stores and the reader compares. */
import { KEY_LENGTH_SLOTS } from './layout.ts'

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

/** First slot of a hash in a table of `slots`. */
export function slotOf(hash: number, slots: number): number {
  return Math.floor((hash / 0x1_0000_0000) * slots)
}

/** Which characters a key has, one bit each: `a`-`z` are bits 0-25, all others share bits 26-31. */
export function signatureOf(key: string): number {
  let bits = 0
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    bits |= unit >= 97 && unit <= 122 ? 1 << (unit - 97) : 1 << (26 + (unit % 6))
  }
  return bits >>> 0
}

/** Slot of `placeLengths` and `aliasLengths` for a key of `length` units. */
export function lengthSlot(length: number): number {
  return Math.min(length, KEY_LENGTH_SLOTS - 1)
}

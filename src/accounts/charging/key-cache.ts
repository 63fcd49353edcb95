import { randomInt } from 'node:crypto'
import { isSecret, SECRET_BYTES, secretHash } from '../secret.ts'
import type { SharedKey } from './shared-key.ts'

/** Secrets remembered, at 52 bytes each. With more keys in use than that, some pay the checksum and the SHA-256 again. */
const ENTRIES = 16_384
const WORDS = SECRET_BYTES / 4

/**
 * From the bytes of a secret to its key. The first sight of a secret costs a checksum and a SHA-256; the next ones are a
 * probe of a table of bounded size. Only keys that exist enter it, so a flood of invented ones neither grows nor empties it.
 */
export class KeyCache {
  readonly #keyByHash: (hash: string) => SharedKey | undefined
  readonly #passesRules: (key: SharedKey) => boolean
  readonly #keys = new Array<SharedKey | undefined>(ENTRIES).fill(undefined)
  /** Eleven words for each secret: secrets are compared and hashed four bytes at a time. */
  readonly #secrets = new Int32Array(ENTRIES * WORDS)
  /** Unknown outside, so that nobody can choose keys that share an entry. */
  readonly #seed = randomInt(2 ** 31)

  /**
   * @param keyByHash finds a key by the hash of its secret
   * @param passesRules whether a key that has rules is answered at this moment
   */
  constructor(keyByHash: (hash: string) => SharedKey | undefined, passesRules: (key: SharedKey) => boolean) {
    this.#keyByHash = keyByHash
    this.#passesRules = passesRules
  }

  /**
   * The active key whose secret is `bytes[start, end)`.
   * @param view shows `bytes`, at the same offsets
   */
  find(bytes: Uint8Array, view: DataView, start: number, end: number): SharedKey | undefined {
    if (end - start !== SECRET_BYTES) return undefined
    // The number of entries is a power of two.
    const entry = hashWords(view, start, this.#seed) & (ENTRIES - 1)
    const cached = this.#keys[entry]
    if (cached === undefined || !isSecretAt(view, start, this.#secrets, entry * WORDS)) {
      return this.#firstSight(bytes, view, start, end, entry)
    }
    return cached.state === 0 || this.isActive(cached) ? cached : undefined
  }

  /** True if the key is answered at this moment. */
  isActive(key: SharedKey): boolean {
    const { state } = key
    return state === 0 || (state < 0 && this.#passesRules(key))
  }

  #firstSight(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    entry: number,
  ): SharedKey | undefined {
    if (!isSecret(bytes, start, end)) return undefined
    const secret = bytes.subarray(start, end)
    const key = this.#keyByHash(secretHash(secret))
    if (key === undefined || !this.isActive(key)) return undefined
    this.#keys[entry] = key
    for (let word = 0; word < WORDS; word++)
      this.#secrets[entry * WORDS + word] = view.getInt32(start + word * 4, true)
    return key
  }
}

/** Multiplies four bytes at a time into 32 bits. Only an index: equality is decided by the bytes. */
function hashWords(secret: DataView, start: number, seed: number): number {
  let state = seed
  for (let at = start; at < start + SECRET_BYTES; at += 4) {
    state = Math.imul(state ^ secret.getInt32(at, true), 0x9e3779b1)
    state ^= state >>> 15
  }
  return state
}

/** Compares whole secrets without stopping at the first difference, so that the time taken reveals nothing. */
function isSecretAt(secret: DataView, start: number, secrets: Int32Array, first: number): boolean {
  let difference = 0
  for (let word = 0; word < WORDS; word++) {
    difference |= secret.getInt32(start + word * 4, true) ^ secrets[first + word]
  }
  return difference === 0
}

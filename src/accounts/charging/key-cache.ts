import { isSecret, SECRET_BYTES, secretHash } from '../secret.ts'
import type { SharedKey } from './shared-key.ts'

/** Secrets remembered, at 52 bytes each. With more keys in use than that, some pay the checksum and the SHA-256 again. */
const ENTRIES = 16_384
/** Last bytes of a secret that choose its entry, random ones and their checksum. Keys that share one pay the SHA-256 again. */
const INDEX_BYTES = 12

/**
 * From the bytes of a secret to its key. The first sight of a secret costs a checksum and a SHA-256; the next ones are a
 * probe of a table of bounded size. Only keys that exist enter it, so a flood of invented ones neither grows nor empties it.
 */
export class KeyCache {
  readonly #keyByHash: (hash: string) => SharedKey | undefined
  readonly #passesRules: (key: SharedKey) => boolean
  readonly #keys = new Array<SharedKey | undefined>(ENTRIES).fill(undefined)
  readonly #secrets = new Uint8Array(ENTRIES * SECRET_BYTES)

  /**
   * @param keyByHash finds a key by the hash of its secret
   * @param passesRules whether a key that has rules is answered at this moment
   */
  constructor(keyByHash: (hash: string) => SharedKey | undefined, passesRules: (key: SharedKey) => boolean) {
    this.#keyByHash = keyByHash
    this.#passesRules = passesRules
  }

  find(bytes: Uint8Array, start: number, end: number): SharedKey | undefined {
    if (end - start !== SECRET_BYTES) return undefined
    const entry = entryOf(bytes, end)
    const cached = this.#keys[entry]
    if (cached === undefined || !isSame(bytes, start, this.#secrets, entry * SECRET_BYTES))
      return this.#firstSight(bytes.subarray(start, end), entry)
    return cached.state === 0 || this.isActive(cached) ? cached : undefined
  }

  isActive(key: SharedKey): boolean {
    const { state } = key
    return state === 0 || (state < 0 && this.#passesRules(key))
  }

  #firstSight(secret: Uint8Array, entry: number): SharedKey | undefined {
    if (!isSecret(secret, 0, secret.length)) return undefined
    const key = this.#keyByHash(secretHash(secret))
    if (key === undefined || !this.isActive(key)) return undefined
    this.#keys[entry] = key
    this.#secrets.set(secret, entry * SECRET_BYTES)
    return key
  }
}

function entryOf(bytes: Uint8Array, end: number): number {
  let hash = 0
  for (let at = end - INDEX_BYTES; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x9e3779b1)
  // The upper bits depend on every byte.
  return (hash >>> 16) & (ENTRIES - 1)
}

/** Compares whole secrets without stopping at the first difference, so that the time taken reveals nothing. */
function isSame(bytes: Uint8Array, start: number, secrets: Uint8Array, first: number): boolean {
  let difference = 0
  for (let i = 0; i < SECRET_BYTES; i++) difference |= bytes[start + i] ^ secrets[first + i]
  return difference === 0
}

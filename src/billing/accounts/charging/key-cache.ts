import type { LiveState } from '../live/live-state.ts'
import { isSecret, SECRET_BYTES, secretHash } from '../secret.ts'
import { SharedKey } from './shared-key.ts'

/** Number of cached secrets. Others pay the checksum and the SHA-256 again. */
const ENTRIES_MAX = 16_384

interface Entry {
  secret: Uint8Array
  key: SharedKey
}

/** Finds a key by its secret. Only existing keys are cached, so a flood of invented ones has no effect. */
export class KeyCache {
  readonly #live: LiveState
  readonly #passesRules: (key: SharedKey) => boolean
  /** Entries by `numberOf` their secret. A text as key would cost 0.4 µs a request. */
  readonly #entries = new Map<number, Entry>()

  constructor(live: LiveState, passesRules: (key: SharedKey) => boolean) {
    this.#live = live
    this.#passesRules = passesRules
  }

  find(bytes: Uint8Array, start: number, end: number): SharedKey | undefined {
    if (end - start !== SECRET_BYTES) return undefined
    const number = numberOf(bytes, start)
    let entry = this.#entries.get(number)
    if (entry === undefined || !isEqual(entry.secret, bytes, start))
      entry = this.#add(Uint8Array.from(bytes.subarray(start, end)), number)
    if (entry === undefined) return undefined
    const { key } = entry
    const { state } = key
    return state === 0 || (state < 0 && this.#passesRules(key)) ? key : undefined
  }

  #add(secret: Uint8Array, number: number): Entry | undefined {
    if (!isSecret(secret, 0, SECRET_BYTES)) return undefined
    const found = this.#live.keys.find(secretHash(secret))
    if (found === undefined) return undefined
    const [oldest] = this.#entries.size < ENTRIES_MAX ? [] : this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
    const entry = { secret, key: new SharedKey(this.#live, found.slot, found.secret) }
    this.#entries.set(number, entry)
    return entry
  }
}

/** Returns a hash of a secret. Two secrets with one hash take turns in the cache. */
function numberOf(bytes: Uint8Array, start: number): number {
  let number = 0
  for (let at = start; at < start + SECRET_BYTES; at++) number = (Math.imul(number, 31) + bytes[at]) | 0
  return number
}

/** Compares in constant time. */
function isEqual(secret: Uint8Array, bytes: Uint8Array, start: number): boolean {
  let difference = 0
  for (let at = 0; at < SECRET_BYTES; at++) difference |= secret[at] ^ bytes[start + at]
  return difference === 0
}

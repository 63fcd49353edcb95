import type { LiveState } from '../live/live-state.ts'
import { isSecret, SECRET_BYTES, secretHash } from '../secret.ts'
import { SharedKey } from './shared-key.ts'

/** Secrets remembered. With more of them in use, some pay the checksum and the SHA-256 again. */
const ENTRIES_MAX = 16_384

/** Finds a key by its secret. Only keys that exist enter it, so a flood of invented ones neither grows nor empties it. */
export class KeyCache {
  readonly #live: LiveState
  readonly #passesRules: (key: SharedKey) => boolean
  readonly #keys = new Map<string, SharedKey>()

  constructor(live: LiveState, passesRules: (key: SharedKey) => boolean) {
    this.#live = live
    this.#passesRules = passesRules
  }

  find(bytes: Uint8Array, start: number, end: number): SharedKey | undefined {
    if (end - start !== SECRET_BYTES) return undefined
    const secret = Buffer.from(bytes.buffer, bytes.byteOffset + start, SECRET_BYTES)
    const text = secret.toString('latin1')
    const key = this.#keys.get(text) ?? this.#firstSight(secret, text)
    return key !== undefined && this.isActive(key) ? key : undefined
  }

  isActive(key: SharedKey): boolean {
    const { state } = key
    return state === 0 || (state < 0 && this.#passesRules(key))
  }

  #firstSight(secret: Buffer, text: string): SharedKey | undefined {
    if (!isSecret(secret, 0, SECRET_BYTES)) return undefined
    const found = this.#live.keys.find(secretHash(secret))
    if (found === undefined) return undefined
    const [oldest] = this.#keys.size < ENTRIES_MAX ? [] : this.#keys.keys()
    if (oldest !== undefined) this.#keys.delete(oldest)
    const key = new SharedKey(this.#live, found.slot, found.secret)
    this.#keys.set(text, key)
    return key
  }
}

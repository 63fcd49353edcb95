/** Accounts and keys on one thread: a few numbers beside their lines in the live state. */

import type { RateLimits } from '../../ledger/event.ts'
import type { KeyRefusal } from '../key-refusals.ts'
import { availableAt } from '../live/counter.ts'
import { type CopiedRules, readRules } from '../live/key-rules.ts'
import type { WhichSecret } from '../live/key-table.ts'
import { CELL, WORD } from '../live/live-layout.ts'
import { Line, type LiveState } from '../live/live-state.ts'
import { lock, unlock } from '../live/lock.ts'
import { isSecret, SECRET_BYTES, secretHash } from '../secret.ts'
import type { WINDOWS } from '../windows.ts'
import { noneUsed, type ShownLimits } from './shown-limits.ts'

/** Rate limit that refuses a request. The window `month` is the key's cap. */
export interface ReachedLimit {
  of: 'key' | 'account'
  window: (typeof WINDOWS)[number]['name'] | 'month'
  /** Queries of a window; null for a cap. */
  most: number | null
  /** Seconds until a request may pass; null if never. */
  wait: number | null
}

export class SharedAccount extends Line implements ShownLimits {
  /** Balance, in a fleet of all nodes. Valid right after `findKey`, `checkFunds` and `charge`. */
  availableMicros = 0
  limits: RateLimits | null = null
  readonly used = noneUsed()
  #version = 0

  constructor(live: LiveState, slot: number) {
    super(live, slot)
    this.refresh()
  }

  refresh(): void {
    this.availableMicros = availableAt(this.cells, this.funds)
    const version = this.words[this.word + WORD.version]
    if (version === this.#version) return
    this.#version = version
    this.limits = this.readLimits()
  }
}

/** Key found by one of its secrets. A rolled key has one object per used secret. */
export class SharedKey extends Line {
  readonly account: SharedAccount
  /** Rules of a key that had any or was rolled; null for nearly all. Valid right after `findKey`. */
  rules: CopiedRules | null = null
  /** Limits of the key itself, besides the account's; null without any. */
  ownLimits: (ShownLimits & { limits: RateLimits }) | null = null
  /** The stricter of the account's and the key's limits, per window. Valid right after `takeFromLimits`. */
  limited: ShownLimits
  readonly #hash: string
  /** Secret by which the key was found; null for one before the previous one. */
  #secret: WhichSecret | null = 'current'
  #version = 0

  /** @param hash hash of the secret */
  constructor(live: LiveState, slot: number, hash: string) {
    super(live, slot)
    this.account = new SharedAccount(live, this.words[this.word + WORD.account] - 1)
    this.limited = this.account
    this.#hash = hash
  }

  /** `CELL.state`: 0 if the key is valid without a check of rules. */
  get state(): number {
    return this.cells[this.cell + CELL.state]
  }

  /** True if the key was found by an earlier secret than the current one. Valid right after `findKey`. */
  get isPrevious(): boolean {
    return this.#secret !== 'current'
  }

  /** Returns why the rules refuse the secret; null if they do not. */
  refusal(live: LiveState, thread: number, nowMs: number): KeyRefusal | null {
    if (this.words[this.word + WORD.version] !== this.#version) this.#copy(live, thread)
    const { rules } = this
    if (rules === null) return null
    if (nowMs >= rules.expiresMs) return 'expired'
    if (this.#secret === 'current') return null
    return this.#secret === 'previous' && nowMs < rules.previousUntilMs ? null : 'replaced'
  }

  /** Copies the rules under the account's lock, so that they are of one version. */
  #copy(live: LiveState, thread: number): void {
    const { words, word, account } = this
    lock(words, account.word, thread)
    this.#version = words[word + WORD.version]
    this.rules = readRules(this)
    this.#secret = live.keys.secretOf(this.slot, this.#hash)
    unlock(words, account.word)
    const { limits } = this.rules
    this.ownLimits = limits && { limits, used: noneUsed() }
    this.limited = limits ? { limits: { ...limits }, used: noneUsed() } : account
  }
}

/** Number of cached secrets. Others pay the checksum and the SHA-256 again. */
const ENTRIES_MAX = 16_384

type CachedKey = { secret: Uint8Array; key: SharedKey }

/** Finds a key by its secret. Only existing keys are cached, so a flood of invented ones has no effect. */
export class KeyCache {
  readonly #live: LiveState
  readonly #thread: number
  /** Entries by `hashOf` their secret. A text as key would cost 0.4 µs a request. */
  readonly #entries = new Map<number, CachedKey>()

  constructor(live: LiveState, thread: number) {
    this.#live = live
    this.#thread = thread
  }

  find(bytes: Uint8Array, start: number, end: number): SharedKey | undefined {
    if (end - start !== SECRET_BYTES) return undefined
    const hash = hashOf(bytes, start)
    let entry = this.#entries.get(hash)
    if (entry === undefined || !isEqual(entry.secret, bytes, start))
      entry = this.#add(Uint8Array.from(bytes.subarray(start, end)), hash)
    return entry?.key
  }

  #add(secret: Uint8Array, hash: number): CachedKey | undefined {
    if (!isSecret(secret)) return undefined
    const keyHash = secretHash(secret)
    const slot = this.#live.keys.find(keyHash, this.#thread)
    if (slot === undefined) return undefined
    const [oldest] = this.#entries.size < ENTRIES_MAX ? [] : this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
    const entry = { secret, key: new SharedKey(this.#live, slot, keyHash) }
    this.#entries.set(hash, entry)
    return entry
  }
}

/** Two secrets with one hash evict each other. */
function hashOf(bytes: Uint8Array, start: number): number {
  let hash = 0
  for (let at = start; at < start + SECRET_BYTES; at++) hash = (Math.imul(hash, 31) + bytes[at]) | 0
  return hash
}

/** Compares in constant time. */
function isEqual(secret: Uint8Array, bytes: Uint8Array, start: number): boolean {
  let difference = 0
  for (let at = 0; at < SECRET_BYTES; at++) difference |= secret[at] ^ bytes[start + at]
  return difference === 0
}

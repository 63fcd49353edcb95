/** Accounts and keys as requests see them. Amounts are whole micro-dollars. */
import type { RateLimits } from '../ledger/event.ts'

export type { RateLimits } from '../ledger/event.ts'

/** Rate limits and what is used of them. Fields change in place; never keep a copy of one. */
export interface Limited {
  /** Null while rate limiting is off. Valid right after `authenticate` and `admit`. */
  readonly limits: RateLimits | null
  /** Queries counted in the current minute, hour and day. Valid right after `admit`. */
  currentMinute: number
  currentHour: number
  currentDay: number
}

export interface Account extends Limited {
  readonly slot: number
  /**
   * Credits less spend: what may still be charged, in a fleet on all nodes together. Never negative. Valid right after `authenticate`, `canPay` and `charge`;
   * after a charge it is the balance that this charge has left, whatever other threads have charged since.
   */
  availableMicros: number
}

export interface KeyRules {
  readonly endpoints: number
  /** The networks that requests may come from, as `isInNetworks` reads them; null: from anywhere. */
  readonly networks: Int32Array | null
}

export interface ApiKey {
  readonly slot: number
  readonly account: Account
  /** Null for a key that may be used for every endpoint and from everywhere, as nearly all are. Valid right after `authenticate`. */
  readonly rules: KeyRules | null
  /** The key's own limits, which hold besides those of its account; null: it has none. */
  readonly own: Limited | null
  /** The stricter of the account's and the key's limits, per window, for answers. Valid right after `admit`. */
  readonly limited: Limited
}

/** A lease that a node of a fleet needs before it can decide about a request. Slots, and whole numbers. */
export interface Wanted {
  /** For a rate limit, the key, when it is its own. */
  account: number
  /** Whose cap is to allow it; -1: a rate limit is wanted, and no credit. */
  key: number
  queries: number
}

/**
 * The synchronous part: what a request costs. Nothing here allocates in the steady state, waits for longer than another
 * thread takes for the same, or throws, but for a `SharedStateError`, after which the process must end.
 */
export interface Meter {
  /**
   * The active key whose secret is `bytes[start, end)`, or undefined, also for one that has expired. Costs one hash-table probe
   * on the second sight of a key and one SHA-256 on the first, and for a key with rules a reading of the clock. The cache is
   * bounded, and a revoked key is refused from the moment of the command, although its entry stays until another key takes its
   * place.
   */
  authenticate(bytes: Uint8Array, start: number, end: number): ApiKey | undefined
  isActive(key: ApiKey): boolean
  /**
   * Passes `queries` through the rate limits of the key and of its account: 0 and counted for both when they pass (always, while
   * limits are off), else the whole seconds (at least 1) until they could, and nothing is counted.
   */
  admit(key: ApiKey, queries: number): number
  /** In a fleet: takes back what `admit` has just counted for a request that has to wait for a lease, and is admitted again then. */
  unadmit(key: ApiKey, queries: number): void
  /** True if the balance and the key's cap pay for `queries`. Charges nothing. */
  canPay(key: ApiKey, queries: number): boolean
  /** Charges `queries` at once. False, and nothing is charged, when the available balance is below their price. */
  charge(key: ApiKey, usage: number, queries: number): boolean
  /**
   * The lease that would change the last refusal of `admit`, `canPay` or `charge`: null, except in a fleet, where this node may
   * hold too little of what the account has. Valid right after the refusal.
   */
  readonly wanted: Wanted | null
  /** Why `canPay` or `charge` has just refused: nothing is charged at the moment, the key's cap, or the balance. */
  readonly refusal: 'unavailable' | 'cap' | 'balance'
  /** Resolves with true when it is worth trying again, and with false when it is not, after `msMax` at the latest. Never rejects. */
  lease(wanted: Wanted, msMax: number): Promise<boolean>
  /**
   * True while charges can be made durable. False for good once a write or sync of the ledger has failed, and false while
   * the oldest entry has waited for its sync for more than UNSYNCED_MS_MAX. The server then answers 503, `charge`
   * refuses, and `/readyz` says no.
   */
  readonly healthy: boolean
  /** False in a fleet whose database has not answered for some seconds: `/readyz` says no, and what is leased is charged. */
  readonly canLease: boolean
}

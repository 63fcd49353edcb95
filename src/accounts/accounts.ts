/** Accounts, keys and balances: rebuilt from the ledger at opening, charged through the meter. */

import type { Clock } from '../ledger/clock.ts'
import type { FileSystem } from '../ledger/file-system.ts'
import type { Account, ApiKey, Meter, RateLimits, UsageClass } from './types.ts'
import type {
  AccountView,
  AdjustRequest,
  Change,
  CreditRequest,
  CreditResult,
  KeyView,
  NewKey,
  StatementRow,
  UsageQuery,
  UsageRow,
} from './views.ts'

export interface AccountsOptions {
  /** DATA_DIR. The ledger and the meter live in its folder `ledger`. */
  dir: string
  /** Longest time a charge waits before it is on its way to the disk. Default 5. */
  flushMs?: number
  /** Called once when a write or sync has failed; `healthy` is already false. The caller answers 503 and exits. */
  onFatal?: (error: Error) => void
  fs?: FileSystem
  clock?: Clock
}

export interface NewAccount {
  email: string
  /** Give the free credit of a new account. Default true. */
  freeCredit?: boolean
  /** Links a sign-in at once. */
  identity?: Identity
}

export interface Identity {
  issuer: string
  subject: string
}

/**
 * Everything that is known of accounts. Reads are synchronous; commands resolve after their sync and reject with an
 * `AccountError`. Wherever an account is asked for, its id or its email will do.
 */
export class Accounts implements Meter {
  healthy = true

  /** Opens the ledger under its lock and rebuilds all state. @throws LedgerError naming file, offset and remedy. */
  static open(options: AccountsOptions): Promise<Accounts> {
    return Promise.reject(new Error(`not yet: ${options.dir}`))
  }

  /** Flushes, syncs, writes a snapshot and gives the lock back. Commands under way are finished first. */
  close(): Promise<void> {
    throw new Error('not yet')
  }

  authenticate(_bytes: Uint8Array, _start: number, _end: number): ApiKey | undefined {
    throw new Error('not yet')
  }
  admit(_account: Account, _queries: number): number {
    throw new Error('not yet')
  }
  charge(_key: ApiKey, _usage: UsageClass, _queries: number): boolean {
    throw new Error('not yet')
  }
  hold(_key: ApiKey, _queries: number): boolean {
    throw new Error('not yet')
  }
  settle(_key: ApiKey, _usage: UsageClass, _queries: number): void {
    throw new Error('not yet')
  }
  release(_key: ApiKey, _queries: number): void {
    throw new Error('not yet')
  }

  createAccount(_account: NewAccount): Promise<AccountView> {
    throw new Error('not yet')
  }
  /** Oldest first. */
  listAccounts(): AccountView[] {
    throw new Error('not yet')
  }
  account(_idOrEmail: string): AccountView | undefined {
    throw new Error('not yet')
  }
  accountByIdentity(_issuer: string, _subject: string): AccountView | undefined {
    throw new Error('not yet')
  }
  /** Linking the same pair to the same account again changes nothing. @throws IDENTITY_TAKEN */
  linkIdentity(_account: string, _identity: Identity): Promise<AccountView> {
    throw new Error('not yet')
  }
  credit(_request: CreditRequest): Promise<CreditResult> {
    throw new Error('not yet')
  }
  adjust(_request: AdjustRequest): Promise<CreditResult> {
    throw new Error('not yet')
  }
  /** Null switches rate limiting off. */
  setLimits(_account: string, _limits: RateLimits | null): Promise<AccountView> {
    throw new Error('not yet')
  }
  /** The dashboard's warning threshold; null: none. */
  setLowBalance(_account: string, _micros: number | null): Promise<AccountView> {
    throw new Error('not yet')
  }
  createKey(_account: string, _options?: { label?: string }): Promise<NewKey> {
    throw new Error('not yet')
  }
  /** Oldest first, revoked ones included. @throws ACCOUNT_NOT_FOUND */
  listKeys(_account: string): KeyView[] {
    throw new Error('not yet')
  }
  key(_keyId: string): KeyView | undefined {
    throw new Error('not yet')
  }
  renameKey(_keyId: string, _label: string): Promise<KeyView> {
    throw new Error('not yet')
  }
  /** Effective on the next request, acknowledged after the sync. Revoking twice changes nothing. */
  revokeKey(_keyId: string): Promise<KeyView> {
    throw new Error('not yet')
  }
  /** Spend of this key per UTC month; beyond it `charge` and `hold` return false. Null: no cap. */
  setKeyCap(_keyId: string, _monthlyMicros: number | null): Promise<KeyView> {
    throw new Error('not yet')
  }
  /** Usage per key, oldest first: at least 48 hours by hour and 90 days by day. @throws ACCOUNT_NOT_FOUND */
  usage(_account: string, _query: UsageQuery): UsageRow[] {
    throw new Error('not yet')
  }
  /** Every credit, adjustment and day of usage, oldest first. @throws ACCOUNT_NOT_FOUND */
  statement(_account: string): StatementRow[] {
    throw new Error('not yet')
  }
  /** Calls `listener` after each durable change; returns a function that ends it. */
  onChange(_listener: (change: Change) => void): () => void {
    throw new Error('not yet')
  }
}

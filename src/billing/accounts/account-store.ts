import type { Book } from '../ledger/book/book.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import type { Listeners } from './audited-changes.ts'
import type { RequestLease } from './charging/charging.ts'
import type { Registry } from './registry.ts'

/** Place where accounts live: the ledger of this process (`LedgerStore`), or a fleet (`FleetNode`). */
export interface AccountStore {
  readonly book: Book
  readonly timeline: { nowMs(): number }
  readonly registry: Registry
  /** Listeners of the ids of changed and charged accounts. */
  readonly listeners: Listeners<string[]>

  /** Takes up to `micros` of the balance for a debit. Returns the taken micros. @throws StaleError if the balance is about to change */
  take(account: AccountRecord, micros: number): number
  /** Undoes `take` after a failed commit. */
  untake(account: AccountRecord, micros: number): void
  /** Returns the balance, here and elsewhere. */
  available(account: AccountRecord): number
  /** Returns the queries of a key by usage class, with usage that the book does not have yet. Exact while the account's lock is held. */
  queries(key: KeyRecord): readonly number[]
  /** Called when charges of keys have come from the meter to the ledger of this process. */
  booked(keys: readonly KeyRecord[]): void

  /** Commits one transaction. Resolves when book and live state have it. The ledger's book has it at once. @throws StaleError */
  record(...events: LedgerEvent[]): Promise<void>
  /** Reads the newest commits of a fleet into the book. @throws AccountError UNAVAILABLE */
  catchUp(): Promise<void>
  untilDurable(): Promise<void>
  /** Runs a command, and again on a newer book after a `StaleError`. @param debitedAccount account whose balance the command lowers */
  run<T>(command: () => Promise<T>, debitedAccount?: string): Promise<T>

  /** Asks for more of the counters of a waiting request. */
  readonly lease: RequestLease
  /** Called when all charges are in the ledger, before it is closed. */
  close(): Promise<void>
}

/** Thrown when another node committed meanwhile, or a credit is not durable yet, so that a command must check again. */
export class StaleError extends Error {}

/** Returns the spend that the book does not have yet. */
export function unbookedMicros(store: Pick<AccountStore, 'queries'>, key: KeyRecord): number {
  const queries = store.queries(key)
  if (queries === key.queries) return 0
  return queries.reduce((sum, count, usage) => sum + count - key.queries[usage], 0) * QUERY_PRICE_MICROS
}

export function unbookedMicrosOf(store: Pick<AccountStore, 'queries'>, { keys }: AccountRecord): number {
  return keys.reduce((micros, key) => micros + unbookedMicros(store, key), 0)
}

import type { Listeners } from '../../platform/listeners.ts'
import type { Book } from '../ledger/book/book.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { WaitForLease } from './charging/charging.ts'

/** Place where accounts live: the ledger of this process (`ledgerStore`), or a fleet (`fleetNode`). */
export interface AccountStore {
  readonly book: Book
  readonly timeline: { nowMs(): number }
  /** Listeners of the ids of changed and charged accounts. */
  readonly listeners: Listeners<string[]>

  /** Called when charges of keys have come from the meter to the ledger of this process. */
  noteBooked(keys: readonly KeyRecord[]): void

  /** Commits one transaction. Resolves when book and live state have it. @throws StaleError */
  record(...events: Transaction): Promise<void>
  /** Reads the newest commits of a fleet into the book. @throws AccountError UNAVAILABLE */
  catchUp(): Promise<void>
  untilDurable(): Promise<void>
  /** Runs a command, and again after a `StaleError`. @param debited account whose balance it lowers */
  run<T>(command: (debit: Debit) => Promise<T>, debited: AccountRecord | undefined): Promise<T>

  /** Asks for more of the counters of a waiting request. */
  readonly waitForLease: WaitForLease
  /** Called when all charges are in the ledger, before it is closed. */
  close(): Promise<void>
}

/** Takes up to `micros` of the balance of an account. Returns the taken micros. @throws StaleError */
export type Debit = (account: AccountRecord, micros: number) => number

/** Events of one command. Those after the first concern the account or key that it opens. */
export type Transaction = [LedgerEvent, ...LedgerEvent[]]

/** Thrown when another node committed meanwhile, so that a command must check again. */
export class StaleError extends Error {}

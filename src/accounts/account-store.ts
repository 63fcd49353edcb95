/** Where the truth about accounts is: the ledger of this process, or the database of a fleet. Commands see only this. */

import type { Book } from '../ledger/book/book.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'

export interface AccountStore {
  /** All that has been committed, and nothing else that other nodes could see. */
  readonly book: Book
  readonly timeline: { nowMs(): number }
  /**
   * Commits events as one transaction: the book has them when this resolves, at the latest. In the ledger it has them at once.
   * @throws StaleError when the book was not the newest; what the write or sync failed with
   */
  record(...events: LedgerEvent[]): Promise<void>
  /** Resolves when everything that the book shows is durable. */
  settled(): Promise<void>
  /**
   * Runs a command, and again on a newer book as long as it throws a `StaleError`.
   * @param takesFrom the account, by id or email, whose balance the command will lower
   */
  run<T>(command: () => Promise<T>, takesFrom?: string): Promise<T>
}

/** Another node has committed something meanwhile, so that what a command has checked may not hold any more. */
export class StaleError extends Error {}

/** What has been used beyond what the book knows. Exact while the account's lock is held. */
export interface UsageAhead {
  aheadOf(account: AccountRecord): number
  aheadMicros(key: KeyRecord): number
  /** Queries of a key by usage class, with those that the book does not know. */
  queries(key: KeyRecord): number[]
}

/** The ledger of this process: nobody else can be faster. */
export class LedgerStore implements AccountStore {
  readonly book: Book
  readonly timeline: { nowMs(): number }
  readonly #ledger: Ledger

  constructor(ledger: Ledger) {
    this.book = ledger.book
    this.timeline = ledger.timeline
    this.#ledger = ledger
  }

  record(...events: LedgerEvent[]): Promise<void> {
    return this.#ledger.record(...events)
  }

  settled(): Promise<void> {
    return this.#ledger.settled()
  }

  run<T>(command: () => Promise<T>): Promise<T> {
    return command()
  }
}

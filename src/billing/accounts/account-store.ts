/** The seam between accounts and the place where they live: what commands ask of it, and how it fills the live state. */
import type { Book } from '../ledger/book/book.ts'
import { type AccountRecord, type KeyRecord, limitsOf } from '../ledger/book/record.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Listeners } from './audited-changes.ts'
import type { RequestLease } from './charging/charging.ts'
import { writeKey } from './live/key-rules.ts'
import { ACCOUNT, LIMITED_WORD, VERSION } from './live/live-layout.ts'
import type { LiveState } from './live/live-state.ts'
import { withLock } from './live/lock.ts'

/** Place where accounts live: the ledger of this process (`ledgerStore`), or a fleet (`fleetNode`). */
export interface AccountStore {
  readonly book: Book
  readonly timeline: { nowMs(): number }
  /** Listeners of the ids of changed and charged accounts. */
  readonly listeners: Listeners<string[]>

  /** Takes up to `micros` of the book's balance for a debit. Returns the taken micros. @throws StaleError */
  take(account: AccountRecord, micros: number): number
  /** Called when charges of keys have come from the meter to the ledger of this process. */
  booked(keys: readonly KeyRecord[]): void

  /** Commits one transaction. Resolves when book and live state have it. The ledger's book has it at once. @throws StaleError */
  record(...events: LedgerEvent[]): Promise<void>
  /** Reads the newest commits of a fleet into the book. @throws AccountError UNAVAILABLE */
  catchUp(): Promise<void>
  untilDurable(): Promise<void>
  /** Runs a command, and again on a newer book after a `StaleError`. @param debited account whose balance the command lowers */
  run<T>(command: () => Promise<T>, debited?: AccountRecord): Promise<T>

  /** Asks for more of the counters of a waiting request. */
  readonly lease: RequestLease
  /** Called when all charges are in the ledger, before it is closed. */
  close(): Promise<void>
}

/** Thrown when another node committed meanwhile, so that a command must check again. */
export class StaleError extends Error {}

/** Source of refills for the counters of the live state: all that is left, or leases of a fleet (`HeldCounters`). */
export interface Refills {
  readonly book: Book
  /** Fills the counter of the balance or cap of an account or key that is new or was loaded. */
  open(record: AccountRecord | KeyRecord): void
  /** Refills the windows after the limits of an account or key changed. */
  setLimits(record: AccountRecord | KeyRecord): void
  setCap(key: KeyRecord): void
  /** Adds a committed credit to the balance. In a fleet, also takes a debit, which is negative. */
  credit(account: AccountRecord, micros: number): void
}

export function openAll(refills: Refills, live: LiveState): void {
  for (const record of refills.book.slots) open(refills, live, record)
}

function open(refills: Refills, live: LiveState, record: AccountRecord | KeyRecord): void {
  refills.open(record)
  if (limitsOf(record) !== null) refills.setLimits(record)
  if (record.type === 'key') writeKey(live, record)
  else writeAccount(live, record)
}

/** Updates the live state after an event. A debit took its money before. */
export function renew(refills: Refills, live: LiveState, event: LedgerEvent): void {
  const { book } = refills
  switch (event.kind) {
    case 'account':
    case 'key':
      return open(refills, live, book.slots[event.slot])
    case 'credit':
      return refills.credit(book.account(event.account), event.micros - event.debtPaidMicros)
    case 'cap':
      return refills.setCap(book.key(event.key))
    case 'limits':
      refills.setLimits(book.account(event.account))
      return writeAccount(live, book.account(event.account))
    case 'suspended':
    case 'resumed':
    case 'closed':
      for (const key of book.account(event.account).keys) if (live.has(key.slot)) writeKey(live, key)
      return
    case 'rules':
      refills.setLimits(book.key(event.key))
      return writeKey(live, book.key(event.key))
    case 'revoke':
    case 'switch':
    case 'overlap':
    case 'roll':
      return writeKey(live, book.key(event.key))
  }
}

function writeAccount(live: LiveState, account: AccountRecord): void {
  withLock(live, account, ({ words, word }) => {
    words[word + LIMITED_WORD] = account.limits === null ? 0 : 1
    Atomics.add(words, word + VERSION, 1)
    words[word + ACCOUNT] = account.slot + 1
  })
}

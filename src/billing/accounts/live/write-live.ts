/** Writes accounts and keys of the book into the live state, at a start and after each event. */
import type { Book } from '../../ledger/book/book.ts'
import { type AccountRecord, type KeyRecord, limitsOf } from '../../ledger/book/record.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import { writeKey } from './key-rules.ts'
import { WORD } from './live-layout.ts'
import { type LiveState, withLock } from './live-state.ts'

/** Source of refills for counters: all that is left, or leases of a fleet (`NodeCounters`). */
export interface Refills {
  readonly book: Book
  /** Sets the counter of a new or loaded account's balance, or of a key's cap, also after its change. */
  refillFunds(record: AccountRecord | KeyRecord): void
  /** Sets the windows of an account or key, also after a change of its limits. */
  refillWindows(record: AccountRecord | KeyRecord): void
  /** Adds a committed credit to the balance. In a fleet, also takes a debit, which is negative. */
  changeBalance(account: AccountRecord, micros: number): void
}

export function writeAll(refills: Refills, live: LiveState): void {
  for (const record of refills.book.slots) writeRecord(refills, live, record)
}

function writeRecord(refills: Refills, live: LiveState, record: AccountRecord | KeyRecord): void {
  refills.refillFunds(record)
  if (limitsOf(record) !== null) refills.refillWindows(record)
  if (record.type === 'key') writeKey(live, record)
  else writeAccount(live, record)
}

/** Updates the live state after an event. */
export function writeEvent(refills: Refills, live: LiveState, event: LedgerEvent): void {
  const { book } = refills
  switch (event.kind) {
    case 'account':
    case 'key':
      return writeRecord(refills, live, book.slots[event.slot])
    case 'credit':
      return refills.changeBalance(book.account(event.account), event.micros - event.debtPaidMicros)
    case 'cap':
      return refills.refillFunds(book.key(event.key))
    case 'limits':
      refills.refillWindows(book.account(event.account))
      return writeAccount(live, book.account(event.account))
    case 'suspended':
    case 'resumed':
    case 'closed':
      for (const key of book.account(event.account).keys) if (live.has(key.slot)) writeKey(live, key)
      return
    case 'rules':
      refills.refillWindows(book.key(event.key))
      return writeKey(live, book.key(event.key))
    case 'revoke':
    case 'switch':
    case 'overlap':
    case 'roll':
      return writeKey(live, book.key(event.key))
    case 'usage': // Counted by threads before it is booked.
    case 'adjust': // A debit took its money before.
    case 'open':
    case 'identity':
    case 'rename':
    case 'profile':
    case 'note':
    case 'invited':
    case 'uninvited':
    case 'member':
      return
    default:
      event satisfies never
  }
}

function writeAccount(live: LiveState, account: AccountRecord): void {
  withLock(live, account, ({ words, word }) => {
    words[word + WORD.isLimited] = account.limits === null ? 0 : 1
    Atomics.add(words, word + WORD.version, 1)
    words[word + WORD.account] = account.slot + 1
  })
}

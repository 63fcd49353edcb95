import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Flusher } from './charging/flusher.ts'
import type { DatedBook, Registry } from './registry.ts'

/** Store that commands read and commit to: the ledger of this process, or the database of a fleet. */
export interface AccountStore extends DatedBook {
  /** Commits one transaction. Resolves when book and live state have it. The ledger's book has it at once. @throws StaleError */
  record(...events: LedgerEvent[]): Promise<void>
  /** Reads the newest commits of a fleet into the book. @throws AccountError UNAVAILABLE */
  catchUp(): Promise<void>
  untilDurable(): Promise<void>
  /** Runs a command, and again on a newer book after a `StaleError`. @param debitedAccount account whose balance the command lowers */
  run<T>(command: () => Promise<T>, debitedAccount?: string): Promise<T>
}

/** Thrown when another node committed meanwhile, so that a command must check again. */
export class StaleError extends Error {}

/** Events that take effect once they are durable. Restrictions take effect at once. */
const GIVING: ReadonlySet<LedgerEvent['kind']> = new Set(['account', 'key', 'credit', 'resumed', 'roll'])

/** Returns the store of a single node. */
export function ledgerStore(ledger: Ledger, registry: Registry, flusher: Flusher): AccountStore {
  const { book, timeline } = ledger
  const renew = (event: LedgerEvent): void => {
    if (event.kind === 'cap') flusher.renewCap(book.key(event.key))
    else if (event.kind === 'credit')
      registry.balances.add(book.account(event.account), event.micros - event.debtPaidMicros)
    else registry.renew(event)
  }
  return {
    book,
    timeline,
    record(...events) {
      const durable = ledger.record(...events)
      // Further events of a transaction concern the account opened by the first.
      const [first] = events
      if (!GIVING.has(first.kind)) renew(first)
      return durable.then(() => {
        if (GIVING.has(first.kind)) renew(first)
      })
    },
    catchUp: async () => {},
    untilDurable: () => ledger.untilDurable(),
    run: command => command(),
  }
}

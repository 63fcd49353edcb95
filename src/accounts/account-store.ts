/** The truth about accounts: the ledger of this process, or the database of a fleet. Commands see only this. */
import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Flusher } from './charging/flusher.ts'
import type { DatedBook, Registry } from './registry.ts'

/** Its book has all that has been committed, and nothing else that other nodes could see. */
export interface AccountStore extends DatedBook {
  /** Commits one transaction. When this resolves, book and live state have it; the ledger's book has it at once. @throws StaleError */
  record(...events: LedgerEvent[]): Promise<void>
  /** Brings the book up to what is true now, for whoever reads it. @throws AccountError UNAVAILABLE */
  catchUp(): Promise<void>
  settled(): Promise<void>
  /** Runs a command, and again on a newer book when it throws a `StaleError`. @param debitedAccount account whose balance it will lower */
  run<T>(command: () => Promise<T>, debitedAccount?: string): Promise<T>
}

/** Another node has committed something meanwhile, so that what a command has checked may not hold any more. */
export class StaleError extends Error {}

const GIVING: ReadonlySet<LedgerEvent['kind']> = new Set(['account', 'key', 'credit', 'resumed', 'roll'])

/** The store of a single node: its ledger, which nobody else can change. */
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
    // Restrictions hold from the next request on, everything else once it is durable.
    record(...events) {
      const durable = ledger.record(...events)
      // The others of a transaction concern the account that the first one opens.
      const [first] = events
      if (!GIVING.has(first.kind)) renew(first)
      return durable.then(() => {
        if (GIVING.has(first.kind)) renew(first)
      })
    },
    current: async () => {},
    settled: () => ledger.settled(),
    run: command => command(),
  }
}

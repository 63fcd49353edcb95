/** Durable changes: who made them, for the audit log, and functions to tell of them. */
import type { Book } from '../ledger/book/book.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Actor } from './actor.ts'

type DeedEvent = Exclude<LedgerEvent, { kind: 'open' | 'usage' }>

export interface Deed {
  actor: Actor
  what: DeedEvent['kind']
  account: string
  key: string | null
  /** The other fields of the event; never a secret or its hash. */
  details: Readonly<Record<string, unknown>>
}

/** Fields of events that are told in another way, or that nobody needs. */
const LEFT_OUT = ['kind', 'slot', 'id', 'account', 'key', 'hash', 'by', 'invitation', 'person', 'endMs']

export function deedsOf(book: Book, events: readonly LedgerEvent[], actor: Actor): Deed[] {
  return events.flatMap(event => {
    if (event.kind === 'open' || event.kind === 'usage') return []
    const { account, key } = book.concerned(event)
    const details = Object.fromEntries(Object.entries(event).filter(([field]) => !LEFT_OUT.includes(field)))
    if (event.kind === 'member') {
      details.email = book.account(event.person).email
      // A table would leave null out.
      details.role = event.role ?? 'removed'
    }
    return { actor, what: event.kind, account: account?.id ?? '', key: key?.id ?? null, details }
  })
}

/** Functions to call with what has become durable: a deed, or the ids of accounts that have changed or were charged. */
export class Listeners<T> {
  readonly #listeners = new Set<(news: T) => void>()

  get isEmpty(): boolean {
    return this.#listeners.size === 0
  }

  /** Returns a function that ends it. */
  add(listener: (news: T) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(news: T): void {
    for (const listener of this.#listeners) listener(news)
  }
}

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
    const details = Object.fromEntries(Object.entries(event).filter(([field]) => !LEFT_OUT.includes(field)))
    if (event.kind === 'member') {
      details.email = book.account(event.person).email
      // A table would leave null out.
      details.role = event.role ?? 'removed'
    }
    return { actor, what: event.kind, ...concerned(book, event), details }
  })
}

function concerned(book: Book, event: DeedEvent): Pick<Deed, 'account' | 'key'> {
  if (event.kind === 'account') return { account: event.id, key: null }
  if (event.kind === 'key') return { account: book.account(event.account).id, key: event.id }
  if ('account' in event) return { account: book.account(event.account).id, key: null }
  const { account, id } = book.key(event.key)
  return { account: account.id, key: id }
}

/** Functions to call with the ids of accounts after each durable change. Usage comes at least once per flush. */
export class Listeners {
  readonly #listeners = new Set<(accounts: string[]) => void>()

  get isEmpty(): boolean {
    return this.#listeners.size === 0
  }

  add(listener: (accounts: string[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(...accounts: string[]): void {
    for (const listener of this.#listeners) listener(accounts)
  }
}

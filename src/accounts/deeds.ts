/** Durable changes: who made them, for the audit log, and functions to tell of them. */
import type { Book } from '../ledger/book/book.ts'
import { roleIn } from '../ledger/book/team.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Actor } from './actor.ts'

type DeedEvent = Exclude<LedgerEvent, { kind: 'open' | 'usage' }>

export interface Deed {
  actor: Actor
  what: DeedEvent['kind']
  account: string
  key: string | null
  /** The other fields of the event, never a secret or its hash; `before`: the values that they have replaced. */
  details: Readonly<Record<string, unknown>>
}

/** Fields of events that are told in another way, or that nobody needs. */
const LEFT_OUT = ['kind', 'slot', 'id', 'account', 'key', 'hash', 'by', 'invitation', 'person', 'endMs']

/** Returns the values that an event is about to replace, under the names of the new ones; undefined: it replaces none. */
export function replacedBy(book: Book, event: LedgerEvent): object | undefined {
  if (event.kind === 'rename') return { label: book.key(event.key).label }
  if (event.kind === 'cap') return { micros: book.key(event.key).capMicros }
  if (event.kind === 'rules') return { ...book.key(event.key).rules }
  if (event.kind === 'limits') return { limits: book.account(event.account).limits }
  if (event.kind === 'profile') return { lowBalanceMicros: book.account(event.account).lowBalanceMicros }
  if (event.kind !== 'member') return undefined
  return { role: roleIn(book.account(event.account), book.account(event.person)) ?? 'none' }
}

/** @param replaced what `replacedBy` said of each event before it was committed */
export function deedsOf(book: Book, events: LedgerEvent[], actor: Actor, replaced: unknown[]): Deed[] {
  return events.flatMap((event, at) => {
    if (event.kind === 'open' || event.kind === 'usage') return []
    const { account, key } = book.concerned(event)
    const shown = Object.entries(event).filter(([field]) => !LEFT_OUT.includes(field))
    const details: Record<string, unknown> = Object.fromEntries(shown)
    if (replaced[at] !== undefined) details.before = replaced[at]
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

/** What commands have changed and who gave them, for those who keep a record of it. */
import type { Book } from '../ledger/book/book.ts'
import type { LedgerEvent, MemberEvent } from '../ledger/event.ts'
import type { Actor } from './actor.ts'

/** One durable change. */
export interface Deed {
  actor: Actor
  what: Exclude<LedgerEvent['kind'], 'open' | 'usage'>
  /** Ids. */
  account: string | null
  key: string | null
  /** What the event says besides; never a secret or its hash. */
  details: Readonly<Record<string, unknown>>
}

/** Fields of events that are told in another way, or that nobody needs. */
const LEFT_OUT = ['kind', 'slot', 'id', 'account', 'key', 'hash', 'by', 'invitation', 'person', 'endMs']

/** @param events of one command, which the book has applied */
export function deedsOf(book: Book, events: readonly LedgerEvent[], actor: Actor): Deed[] {
  return events.flatMap(event => {
    if (event.kind === 'open' || event.kind === 'usage') return []
    const details = Object.fromEntries(Object.entries(event).filter(([field]) => !LEFT_OUT.includes(field)))
    if (event.kind === 'member') Object.assign(details, memberDetails(book, event))
    return { actor, what: event.kind, ...concerned(book, event), details }
  })
}

/** People are known by their address; nil, which a table would leave out, is the end of a membership. */
function memberDetails(book: Book, { person, role }: MemberEvent) {
  return { email: book.account(person).email, role: role ?? 'removed' }
}

function concerned(
  book: Book,
  event: Exclude<LedgerEvent, { kind: 'open' | 'usage' }>,
): Pick<Deed, 'account' | 'key'> {
  if (event.kind === 'account') return { account: event.id, key: null }
  if (event.kind === 'key') return { account: book.account(event.account).id, key: event.id }
  if ('account' in event) return { account: book.account(event.account).id, key: null }
  const key = book.key(event.key)
  return { account: key.account.id, key: key.id }
}

/** Durable changes and their actors, for the audit log. */
import type { Book } from '../ledger/book/book.ts'
import { roleIn } from '../ledger/book/team.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Actor } from './actor.ts'

type AuditedEvent = Exclude<LedgerEvent, { kind: 'open' | 'usage' }>

export interface Change {
  actor: Actor
  what: AuditedEvent['kind']
  account: string
  key: string | null
  /** Other fields of the event, never a secret or its hash. `before` has the replaced values. */
  details: Readonly<Record<string, unknown>>
}

/** Fields of events that an audited change shows. It has the subjects and the actor elsewhere. */
const SHOWN = (
  'email issuer subject role label start note reason isOn limits endpoints addresses expiresMs untilMs ' +
  'micros debtPaidMicros takenMicros lowBalanceMicros reference payment credit adjust'
).split(' ')

/** Returns the values that an event is about to replace, by field; undefined if it replaces none. */
export function replacedBy(book: Book, event: LedgerEvent): object | undefined {
  switch (event.kind) {
    case 'rename':
      return { label: book.key(event.key).label }
    case 'cap':
      return { micros: book.key(event.key).capMicros }
    case 'rules':
      // A key may get its rules with its creation.
      return event.key < book.slots.length ? { ...book.key(event.key).rules } : {}
    case 'limits':
      return { limits: book.account(event.account).limits }
    case 'profile':
      return { lowBalanceMicros: book.account(event.account).lowBalanceMicros }
    case 'note':
      return { note: book.account(event.account).note }
    case 'member':
      return { role: roleIn(book.account(event.account), book.account(event.person)) ?? 'none' }
    default:
      return undefined
  }
}

/** @param replaced result of `replacedBy` for each event, before its commit */
export function changesOf(book: Book, events: LedgerEvent[], actor: Actor, replaced: unknown[]): Change[] {
  return events.flatMap((event, at) => {
    if (event.kind === 'open' || event.kind === 'usage') return []
    const { account, key } = book.subjectsOf(event)
    const shown = Object.entries(event).filter(([field]) => SHOWN.includes(field))
    const details: Record<string, unknown> = Object.fromEntries(shown)
    if (replaced[at] !== undefined) details.before = replaced[at]
    if (event.kind === 'member') {
      details.email = book.account(event.person).email
      // Tables omit null.
      details.role = event.role ?? 'removed'
    }
    return { actor, what: event.kind, account: account?.id ?? '', key: key?.id ?? null, details }
  })
}

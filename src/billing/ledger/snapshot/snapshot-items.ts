/** Converts a book to the items of a snapshot, in payloads of bounded size, and back. FORMAT.md lists the items. */
import { createHash } from 'node:crypto'
import { FRAME_BYTES_WANTED } from '../../../platform/limits.ts'
import type { Book } from '../book/book.ts'
import { AccountRecord, type Entry, type Identity, type Invitation, KeyRecord } from '../book/record.ts'
import { addMember, ensureTeam } from '../book/team.ts'
import type { Role } from '../event.ts'
import { describeValue, packValue, unpackOwn } from '../plain-message-pack.ts'

type AccountFields = Omit<AccountRecord, 'type' | 'team' | 'keys' | 'activeKeys' | 'identities' | 'entries'>
type KeyFields = Omit<KeyRecord, 'type' | 'account' | 'queries' | 'hours' | 'days' | 'months'>

type Item =
  | ({ item: 'account' } & AccountFields)
  | ({ item: 'identity'; account: number } & Identity)
  | { item: 'entry'; account: number; entry: Entry }
  | KeyItem
  | ({ item: 'invitation'; account: number } & Invitation)
  | { item: 'member'; account: number; person: number; role: Role | null }
  | Ending

interface KeyItem extends KeyFields {
  item: 'key'
  account: number
  /** Counts by usage class, without the zeros at the end. */
  queries: number[]
  hours: Uint8Array
  days: Uint8Array
  /** Only after a clock went back. */
  months?: KeyRecord['months']
}

export interface Ending {
  item: 'end'
  slots: number
  digest: Uint8Array
}

/** Yields the payloads of `book`, without the ending. Each has about FRAME_BYTES_WANTED, or one larger item. */
export function* payloadsOf(book: Book): Generator<Buffer> {
  let values: Buffer[] = []
  let bytes = 0
  for (const item of itemsOf(book)) {
    const value = packValue(item)
    if (bytes > 0 && bytes + value.length > FRAME_BYTES_WANTED) {
      yield Buffer.concat(values)
      values = []
      bytes = 0
    }
    values.push(value)
    bytes += value.length
  }
  if (bytes > 0) yield Buffer.concat(values)
}

export function endingPayload(slots: number, digest: Uint8Array): Buffer {
  return packValue({ item: 'end', slots, digest } satisfies Item)
}

export function digestOf(book: Book): Buffer {
  const digest = createHash('sha256')
  for (const payload of payloadsOf(book)) digest.update(payload)
  return digest.digest()
}

/** Adds the next payload of a snapshot to `book`. Returns the last item of the snapshot, or null. */
export function addPayload(book: Book, payload: Uint8Array): Ending | null {
  let ending: Ending | null = null
  for (const item of unpackOwn(payload) as Item[]) {
    if (ending !== null) throw new Error('an item after the last one')
    if (item.item === 'end') ending = item
    else addItem(book, item)
  }
  return ending
}

function* itemsOf(book: Book): Generator<Item> {
  for (const record of book.slots) {
    if (record.type === 'key') yield keyItem(record)
    else yield* accountItems(record)
  }
  for (const { slot: account, team } of book.accounts.values()) {
    if (team === null) continue
    for (const invitation of team.invitations.values()) yield { item: 'invitation', account, ...invitation }
    for (const [person, role] of team.members) yield { item: 'member', account, person, role }
  }
}

function* accountItems(record: AccountRecord): Generator<Item> {
  const { slot, id, email, createdMs, limits, lowBalanceMicros, standing } = record
  const { creditedMicros, spentMicros, debtMicros } = record
  const sums = { creditedMicros, spentMicros, debtMicros }
  yield { item: 'account', slot, id, email, createdMs, limits, lowBalanceMicros, standing, ...sums }
  for (const identity of record.identities) yield { item: 'identity', account: slot, ...identity }
  for (const entry of record.entries) yield { item: 'entry', account: slot, entry }
}

function keyItem({ type: _, months, ...key }: KeyRecord): KeyItem {
  const queries = key.queries.slice(0, 1 + key.queries.findLastIndex(count => count > 0))
  const usage = { queries, hours: key.hours.packed(), days: key.days.packed() }
  const found = { item: 'key' as const, ...key, account: key.account.slot, ...usage }
  return months.length > 0 ? { ...found, months } : found
}

function addItem(book: Book, item: Exclude<Item, Ending>): void {
  switch (item.item) {
    case 'account': {
      const { item: _, ...fields } = item
      return book.addAccount(Object.assign(new AccountRecord(fields, fields.createdMs), fields))
    }
    case 'identity':
      return book.addIdentity(book.account(item.account), item.issuer, item.subject)
    case 'entry':
      return book.addEntry(book.account(item.account), item.entry)
    case 'key':
      return book.addKey(keyOf(book, item))
    case 'invitation': {
      const { item: _, account, ...invitation } = item
      ensureTeam(book.account(account)).invitations.set(invitation.id, invitation)
      return
    }
    case 'member':
      return addMember(book.account(item.account), book.account(item.person), item.role, book.memberships)
    default:
      throw new Error(`unknown item ${describeValue(item satisfies never)}`)
  }
}

/** Copies field by field: rest properties would take a tenth of a start. */
function keyOf(book: Book, item: KeyItem): KeyRecord {
  const key = new KeyRecord(item, book.account(item.account), item.createdMs)
  key.revokedMs = item.revokedMs
  key.capMicros = item.capMicros
  key.rules = item.rules
  key.rolled = item.rolled
  key.spentMicros = item.spentMicros
  key.lastUsedMs = item.lastUsedMs
  key.months = item.months ?? []
  if (item.queries.length > 0) key.queries = key.queries.map((_, usage) => item.queries[usage] ?? 0)
  key.hours.restore(item.hours)
  key.days.restore(item.days)
  return key
}

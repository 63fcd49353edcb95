/** A book as the items of a snapshot, in payloads of bounded size, and back. FORMAT.md lists the items. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { FRAME_BYTES_WANTED, USAGE_CLASSES_MAX } from '../../limits.ts'
import type { Book } from '../book/book.ts'
import {
  AccountRecord,
  entry,
  identity,
  invitation,
  KeyRecord,
  rolledSecret,
  standing,
} from '../book/record.ts'
import { addMember, teamOf } from '../book/team.ts'
import { count, expectShape, keyRules, ROLES, rateLimits, text, time } from '../event.ts'
import { eachValue, packValue, said } from '../plain-message-pack.ts'

const bytes = z.custom<Uint8Array>(value => value instanceof Uint8Array)

const ITEMS = {
  account: z.strictObject({
    item: z.literal('account'),
    slot: count,
    id: text,
    email: text,
    createdMs: time,
    limits: rateLimits.nullable(),
    lowBalanceMicros: count.nullable(),
    standing: standing.nullable(),
    creditedMicros: count,
    spentMicros: count,
    debtMicros: count,
  }),
  identity: z.strictObject({ item: z.literal('identity'), account: count, ...identity.shape }),
  entry: z.strictObject({ item: z.literal('entry'), account: count, entry }),
  key: z.strictObject({
    item: z.literal('key'),
    slot: count,
    account: count,
    id: text,
    label: text,
    createdMs: time,
    revokedMs: time,
    capMicros: count.nullable(),
    rules: keyRules.nullable(),
    start: text,
    hash: text,
    rolled: rolledSecret.nullable(),
    queries: z.array(count).max(USAGE_CLASSES_MAX),
    spentMicros: count,
    lastUsedMs: time,
    hours: bytes,
    days: bytes,
  }),
  invitation: z.strictObject({ item: z.literal('invitation'), account: count, ...invitation.shape }),
  member: z.strictObject({
    item: z.literal('member'),
    account: count,
    person: count,
    role: z.enum(ROLES).nullable(),
  }),
  end: z.strictObject({ item: z.literal('end'), slots: count, digest: bytes }),
} as const

type Item = { [K in keyof typeof ITEMS]: z.infer<(typeof ITEMS)[K]> }[keyof typeof ITEMS]
type ItemOf<K extends Item['item']> = Extract<Item, { item: K }>

export type Ending = ItemOf<'end'>

/** The payloads of `book` in order, all but the last one. Each has about FRAME_BYTES_WANTED, or one larger item. */
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

/** Adds a payload to `book`, which holds everything before it. Returns the last item of a snapshot, else null. */
export function addPayload(book: Book, payload: Uint8Array): Ending | null {
  let ending: Ending | null = null
  eachValue(payload, value => {
    if (ending !== null) throw new Error('an item after the last one')
    const item = readItem(value)
    if (item.item === 'end') ending = item
    else addItem(book, item)
  })
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

function keyItem({ type: _, ...key }: KeyRecord): Item {
  const queries = key.queries.slice(0, 1 + key.queries.findLastIndex(count => count > 0))
  const usage = { queries, hours: key.hours.packed(), days: key.days.packed() }
  return { item: 'key', ...key, account: key.account.slot, ...usage }
}

function readItem(value: unknown): Item {
  const { item } = Object(value)
  if (!Object.hasOwn(ITEMS, item)) throw new Error(`unknown item ${said(item)}`)
  expectShape(ITEMS[item as keyof typeof ITEMS], value, `an item ${item}`)
  return value as Item
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
      teamOf(book.account(account)).invitations.set(invitation.id, invitation)
      return
    }
    case 'member':
      return addMember(book.account(item.account), book.account(item.person), item.role, book.memberships)
    default:
      item satisfies never
  }
}

function keyOf(book: Book, { item: _, ...fields }: ItemOf<'key'>): KeyRecord {
  const { account, queries, hours, days, ...others } = fields
  const key = Object.assign(new KeyRecord(fields, book.account(account), fields.createdMs), others)
  if (queries.length > 0) key.queries = key.queries.map((_, usage) => queries[usage] ?? 0)
  key.hours.restore(hours)
  key.days.restore(days)
  return key
}

/** Events of the ledger, and the payload of a frame: a time and events. FORMAT.md explains them. */

import * as z from 'zod'
import { parseNetwork } from '../../platform/networks.ts'
import { KEY_ADDRESSES_MAX } from '../limits.ts'
import { USAGE_CLASSES_MAX } from './meter/meter-layout.ts'
import { describeValue, packValue, unpackValue } from './plain-message-pack.ts'

/** `reinstated`: undoes a refund that failed or a dispute that was won. */
const CREDIT_KINDS = ['free', 'operator', 'payment', 'reinstated', 'test'] as const
export type CreditKind = (typeof CREDIT_KINDS)[number]
const ADJUSTMENT_KINDS = ['refund', 'dispute'] as const
export type AdjustmentKind = (typeof ADJUSTMENT_KINDS)[number]
export type EntryKind = CreditKind | AdjustmentKind | 'closed'
export const ROLES = ['owner', 'developer', 'billing'] as const
export type Role = (typeof ROLES)[number]

export const count = z.int().nonnegative()
/** Milliseconds since 1970, in the range of `Date`. */
export const time = z.number().nonnegative().max(8.64e15)
/** Well-formed text. Any other has no UTF-8 form, so the disk would differ from the book. */
export const text = z.string().refine(value => value.isWellFormed(), 'it is not well-formed Unicode')

const usageClass = count.max(USAGE_CLASSES_MAX - 1)
const network = text.refine(value => parseNetwork(value) !== null, 'it is not a network')

/** Requests allowed in each UTC-aligned fixed window; null for an unlimited window. */
export const rateLimits = z.strictObject({
  perMinute: count.nullable(),
  perHour: count.nullable(),
  perDay: count.nullable(),
})
export type RateLimits = z.infer<typeof rateLimits>

/** Restrictions of a key; null in a field for no such restriction. */
const keyRules = z.strictObject({
  expiresMs: time.nullable(),
  limits: rateLimits.nullable(),
  endpoints: z.array(usageClass).nullable(),
  /** Networks that the key may be used from, in the form of `networkText`. */
  addresses: z.array(network).max(KEY_ADDRESSES_MAX).nullable(),
})
export type KeyRules = z.infer<typeof keyRules>

const money = {
  account: count,
  micros: count,
  reference: text,
  note: text,
  /** Reference of the payment that the event takes back, or gives back again. */
  payment: text.exactOptional(),
  by: text.exactOptional(),
}

/** Fields of each kind of event but `usage`. Accounts and keys are slots. `by` names the actor. */
const EVENTS = {
  open: {},
  account: { slot: count, id: text, email: text },
  identity: { account: count, issuer: text, subject: text },
  key: { slot: count, id: text, account: count, label: text, start: text, hash: text },
  rename: { key: count, label: text },
  revoke: { key: count },
  cap: { key: count, micros: count.nullable() },
  switch: { key: count, isOn: z.boolean() },
  limits: { account: count, limits: rateLimits.nullable() },
  profile: { account: count, lowBalanceMicros: count.nullable() },
  /** A note for operators; `''` for none. */
  note: { account: count, note: text },
  credit: { ...money, debtPaidMicros: count, credit: z.enum(CREDIT_KINDS) },
  adjust: { ...money, takenMicros: count, adjust: z.enum(ADJUSTMENT_KINDS) },
  suspended: { account: count, reason: text, by: text },
  resumed: { account: count, reason: text, by: text },
  closed: { account: count, takenMicros: count, reference: text, reason: text, by: text },
  rules: { key: count, ...keyRules.shape },
  roll: { key: count, start: text, hash: text, untilMs: time },
  overlap: { key: count, untilMs: time },
  /** A person who proves this address may become a member. `invitation` is an id, not a secret. */
  invited: { account: count, invitation: text, email: text, role: z.enum(ROLES), endMs: time, by: text },
  uninvited: { account: count, invitation: text },
  /** A null role ends the membership. `invitation` is used up. */
  member: {
    account: count,
    person: count,
    role: z.enum(ROLES).nullable(),
    invitation: text.nullable(),
    by: text,
  },
} as const

type Kind = keyof typeof EVENTS

/** Kinds of entries as people see them: a credit or a debit has the kind of its line in a statement. */
export const SHOWN_KINDS = Object.keys({ ...EVENTS, usage: {} }).flatMap(kind =>
  kind === 'credit' ? CREDIT_KINDS : kind === 'adjust' ? ADJUSTMENT_KINDS : kind,
)

type Fields = { [K in Kind]: z.infer<z.ZodObject<(typeof EVENTS)[K]>> }
export type EventOf<K extends Kind> = { kind: K } & (K extends 'open' ? unknown : Fields[K])

/** Cumulative counts of one key: queries by usage class, and spend. */
export type KeyUsage = { key: number; queries: readonly number[]; spentMicros: number }

export type UsageEvent = { kind: 'usage'; rows: KeyUsage[] }

export type LedgerEvent = { [K in Kind]: EventOf<K> }[Kind] | UsageEvent

/** Keys per usage event, which keeps a frame far below its bound. */
const USAGE_KEYS_MAX = 10_000

export function usageEvents(rows: readonly KeyUsage[]): UsageEvent[] {
  const events: UsageEvent[] = []
  for (let start = 0; start < rows.length; start += USAGE_KEYS_MAX)
    events.push({ kind: 'usage', rows: rows.slice(start, start + USAGE_KEYS_MAX) })
  return events
}

export type Payload = [timeMs: number, ...events: LedgerEvent[]]

export function encodePayload(timeMs: number, events: readonly LedgerEvent[]): Buffer {
  const stored = (event: LedgerEvent): unknown =>
    event.kind === 'usage' ? { kind: 'usage', rows: event.rows.map(storedRow) } : checkedEvent(event)
  return packValue([timeMs, ...events.map(stored)])
}

/** Decodes a payload and checks every type: a CRC does not prove the writer. The book checks the meaning. */
export function decodePayload(bytes: Uint8Array): Payload {
  const payload = unpackValue(bytes)
  if (!Array.isArray(payload)) throw new Error(`a payload is ${describeValue(payload)}, not an array`)
  expectShape(time, payload[0], 'the time')
  for (let index = 1; index < payload.length; index++) payload[index] = readEvent(payload[index])
  return payload as Payload
}

/** @throws Error that names the first wrong field of `value`. @param what name of the value in the message */
export function expectShape(schema: z.ZodType, value: unknown, what: string): void {
  const { error } = schema.safeParse(value)
  if (error === undefined) return
  const [{ path, message }] = error.issues
  throw new Error(`${what}: ${[...path, message].join(': ')}, in ${describeValue(value)}`)
}

const SCHEMAS = new Map<unknown, z.ZodType>(
  Object.entries(EVENTS).map(([kind, fields]) => [
    kind,
    z.strictObject({ kind: z.literal(kind), ...fields }),
  ]),
)

function readEvent(stored: unknown): LedgerEvent {
  const { kind, rows, ...others } = Object(stored)
  if (kind !== 'usage') return checkedEvent(stored)
  if (Array.isArray(rows) && Object.keys(others).length === 0) return { kind, rows: rows.map(readRow) }
  throw new Error('usage with other fields than rows')
}

function checkedEvent(event: unknown): LedgerEvent {
  const { kind } = Object(event)
  const schema = SCHEMAS.get(kind)
  if (schema === undefined) throw new Error(`unknown kind of event ${describeValue(kind)}`)
  expectShape(schema, event, `an event of kind ${kind}`)
  return event as LedgerEvent
}

/** Returns slot and spend, then class and count of each used class. */
function storedRow({ key, queries, spentMicros }: KeyUsage): number[] {
  const stored = [key, spentMicros]
  for (let usage = 0; usage < queries.length; usage++)
    if (queries[usage] > 0) stored.push(usage, queries[usage])
  return stored
}

/** Reads a row in plain loops, since usage is most of a ledger. */
function readRow(stored: unknown): KeyUsage {
  if (!Array.isArray(stored) || stored.length < 2 || stored.length % 2 !== 0)
    throw new Error(`a row of usage is ${describeValue(stored)}`)
  const queries = new Array<number>(USAGE_CLASSES_MAX).fill(0)
  for (let at = 0; at < stored.length; at++)
    if (!Number.isSafeInteger(stored[at]) || stored[at] < 0)
      throw new Error(`usage of ${describeValue(stored[at])}`)
  let previous = -1
  for (let at = 2; at < stored.length; at += 2) {
    const usage = stored[at]
    if (usage <= previous || usage >= USAGE_CLASSES_MAX)
      throw new Error(`usage of class ${usage} after ${previous}`)
    queries[usage] = stored[at + 1]
    previous = usage
  }
  return { key: stored[0], queries, spentMicros: stored[1] }
}

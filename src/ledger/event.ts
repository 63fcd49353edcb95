// Without what the package's main entry adds: a native reader of texts, which takes 10 ms to load and no ledger needs.
import { Packr } from 'msgpackr/pack'

/** Everything that can happen, as the payload of a frame stores it; FORMAT.md explains each. Numbers are safe integers. */
export type LedgerEvent =
  | { kind: 'open' }
  | AccountEvent
  | { kind: 'identity'; account: number; issuer: string; subject: string }
  | KeyEvent
  | { kind: 'rename'; key: number; label: string }
  | { kind: 'revoke'; key: number }
  | { kind: 'cap'; key: number; micros: number | null }
  | { kind: 'limits'; account: number; limits: RateLimits | null }
  | { kind: 'profile'; account: number; lowBalanceMicros: number | null }
  | CreditEvent
  | AdjustEvent
  | StandingEvent
  | ClosedEvent
  | InvitedEvent
  | { kind: 'uninvited'; account: number; invitation: string }
  | MemberEvent
  | UsageEvent
  | RulesEvent
  | RollEvent
  | { kind: 'overlap'; key: number; untilMs: number }

/** Why money was added, and why it was taken back. */
export const CREDIT_KINDS = ['free', 'operator', 'payment', 'test'] as const
export type CreditKind = (typeof CREDIT_KINDS)[number]
export const ADJUSTMENT_KINDS = ['refund', 'dispute'] as const
export type AdjustmentKind = (typeof ADJUSTMENT_KINDS)[number]
/** What a member of an account may do; `src/control/shell/access.ts` says which pages that is. */
export const ROLES = ['owner', 'developer', 'billing'] as const
export type Role = (typeof ROLES)[number]
/** All that changes a balance besides usage. */
export type EntryKind = CreditKind | AdjustmentKind | 'closed'

export interface AccountEvent {
  kind: 'account'
  slot: number
  id: string
  email: string
}

export interface KeyEvent {
  kind: 'key'
  slot: number
  id: string
  account: number
  label: string
  start: string
  hash: string
}

export interface CreditEvent {
  kind: 'credit'
  account: number
  micros: number
  debtPaidMicros: number
  credit: CreditKind
  reference: string
  note: string
  /** Who gave it, where it was not the service itself. */
  by?: string
}

export interface AdjustEvent {
  kind: 'adjust'
  account: number
  micros: number
  takenMicros: number
  adjust: AdjustmentKind
  reference: string
  note: string
  by?: string
}

/** The keys of a suspended account are refused until it is resumed. */
export interface StandingEvent {
  kind: 'suspended' | 'resumed'
  account: number
  reason: string
  /** Who decided it. */
  by: string
}

/** The end of an account: its keys are refused for good, and what is left of its balance is taken. */
export interface ClosedEvent {
  kind: 'closed'
  account: number
  takenMicros: number
  reference: string
  reason: string
  by: string
}

/** Whoever proves this email address may become a member until the invitation ends. */
export interface InvitedEvent {
  kind: 'invited'
  account: number
  /** Its id, which is not a secret: the dashboard seals it into a link. */
  invitation: string
  email: string
  role: Role
  endMs: number
  /** Who invites. */
  by: string
}

/** What somebody may do in an account from now on. */
export interface MemberEvent {
  kind: 'member'
  account: number
  /** Slot of the account that this person's sign-ins lead to. */
  person: number
  /** Null: nothing any more. */
  role: Role | null
  /** The invitation that is accepted by this, and used up. */
  invitation: string | null
  by: string
}

export interface UsageEvent {
  kind: 'usage'
  /** Cumulative counts of one key after another; `usage-rows.ts` has their layout. */
  rows: number[]
}

/** What a key is allowed to do, as a whole: whatever was allowed before is replaced. */
export interface RulesEvent extends KeyRules {
  kind: 'rules'
  key: number
}

/** A new secret for a key. The one before it works until `untilMs`, and any older one no more. */
export interface RollEvent {
  kind: 'roll'
  key: number
  start: string
  hash: string
  untilMs: number
}

/** Null means in each field that there is no such rule. */
export interface KeyRules {
  /** From this moment on the key is refused. */
  expiresMs: number | null
  /** Its own rate limits, besides those of its account. */
  limits: RateLimits | null
  /** Usage classes of the endpoints that it may be used for. */
  endpoints: number[] | null
  /** Networks that it may be used from, in the form that `networkText` writes. */
  addresses: string[] | null
}

/** Requests allowed per UTC-aligned fixed window; null: that window is counted but not limited. */
export interface RateLimits {
  perMinute: number | null
  perHour: number | null
  perDay: number | null
}

/**
 * What a frame holds. Stored, a usage event is its bare rows: nearly all frames of a ledger are such, and without a map
 * and its strings they are replayed in half the time.
 */
export type Payload = [timeMs: number, ...events: LedgerEvent[]]

/** Plain MessagePack without extensions, so that any reader of that format can read a ledger. */
const packr = new Packr({ useRecords: false, mapsAsObjects: true })

/** @throws Error when a text has no UTF-8 form: the disk would hold another text than the book */
export function encodePayload(timeMs: number, events: readonly LedgerEvent[]): Buffer {
  return packr.pack([
    timeMs,
    ...events.map(event => (event.kind === 'usage' ? event.rows : wellFormed(event))),
  ])
}

/** The commands have checked every text; this is the second half of that pair of assertions. */
function wellFormed(event: Exclude<LedgerEvent, UsageEvent>): Exclude<LedgerEvent, UsageEvent> {
  for (const [field, value] of Object.entries(event)) {
    if (typeof value === 'string' && !value.isWellFormed()) {
      throw new Error(`${field} of an event of kind ${event.kind} is not well-formed Unicode`)
    }
  }
  return event
}

/** For snapshots, whose payloads are arrays of plain values and bytes. */
export function packValue(value: unknown): Buffer {
  return packr.pack(value)
}

export function unpackValue(bytes: Uint8Array, start = 0, end = bytes.length): unknown {
  range.start = start
  range.end = end
  return packr.unpack(bytes, range)
}

/** Reused: a replay unpacks millions of payloads from the same buffer. */
const range = { start: 0, end: 0 }

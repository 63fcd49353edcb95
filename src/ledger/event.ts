import { Packr } from 'msgpackr'

/** Everything that can happen, as the payload of a frame stores it; FORMAT.md explains each. Numbers are safe integers. */
export type LedgerEvent =
  | { kind: 'open' }
  | { kind: 'account'; slot: number; id: string; email: string }
  | { kind: 'identity'; account: number; issuer: string; subject: string }
  | KeyEvent
  | { kind: 'rename'; key: number; label: string }
  | { kind: 'revoke'; key: number }
  | { kind: 'cap'; key: number; micros: number | null }
  | { kind: 'limits'; account: number; limits: Limits | null }
  | { kind: 'profile'; account: number; lowBalanceMicros: number | null }
  | CreditEvent
  | AdjustEvent
  | UsageEvent

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
  credit: 'free' | 'operator' | 'payment' | 'test'
  reference: string
  note: string
}

export interface AdjustEvent {
  kind: 'adjust'
  account: number
  micros: number
  takenMicros: number
  adjust: 'refund' | 'dispute'
  reference: string
  note: string
}

export interface UsageEvent {
  kind: 'usage'
  /** Per key `USAGE_ROW` numbers: slot, cumulative queries by class, cumulative spend. */
  rows: number[]
}

export interface Limits {
  perMinute: number | null
  perHour: number | null
  perDay: number | null
}

export const USAGE_CLASSES_COUNT = 5
/** Numbers per key in `UsageEvent.rows`. */
export const USAGE_ROW = USAGE_CLASSES_COUNT + 2

/** Keys per usage event, so that a frame stays far below its bound however many keys there are. */
const USAGE_KEYS_MAX = 10_000

/** Splits rows of any number of keys into events that each fit a frame. */
export function usageEvents(rows: number[]): UsageEvent[] {
  const events: UsageEvent[] = []
  for (let row = 0; row < rows.length; row += USAGE_KEYS_MAX * USAGE_ROW) {
    events.push({ kind: 'usage', rows: rows.slice(row, row + USAGE_KEYS_MAX * USAGE_ROW) })
  }
  return events
}

/** Plain MessagePack without extensions, so that any reader of that format can read a ledger. */
const packr = new Packr({ useRecords: false, mapsAsObjects: true })

export function encodePayload(timeMs: number, events: readonly LedgerEvent[]): Buffer {
  return packr.pack([timeMs, ...events])
}

/** `[timeMs, ...events]` from a frame's body. Its CRC has vouched for the bytes; the book checks what they mean. */
export function decodePayload(body: Uint8Array, start: number): [timeMs: number, ...events: LedgerEvent[]] {
  return unpackValue(body, start) as [number, ...LedgerEvent[]]
}

/** For snapshots, whose payloads are arrays of plain values. */
export function packValue(value: unknown): Buffer {
  return packr.pack(value)
}

export function unpackValue(body: Uint8Array, start: number): unknown {
  return packr.unpack(body, { start })
}

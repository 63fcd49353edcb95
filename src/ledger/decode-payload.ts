/** Decodes a payload that was read and checks its types, so that a forged frame is refused instead of becoming part of the book. */
import { KEY_ADDRESSES_MAX } from '../limits.ts'
import { parseNetwork } from '../networks.ts'
import {
  ADJUSTMENT_KINDS,
  CREDIT_KINDS,
  type LedgerEvent,
  type Payload,
  ROLES,
  unpackValue,
} from './event.ts'
import { expectUsageRows, rowsOfVersion1, UnknownClassError, USAGE_CLASSES_COUNT } from './usage-rows.ts'

/** The latest time that a `Date` can hold. */
const TIME_MS_MAX = 8.64e15

type Check = (value: unknown) => boolean
type Fields<Kind> = Omit<Extract<LedgerEvent, { kind: Kind }>, 'kind'>

const isCount: Check = value => Number.isSafeInteger(value) && (value as number) >= 0
const isText: Check = value => typeof value === 'string'
const isCountOrNull: Check = value => value === null || isCount(value)
const isOneOf =
  (names: readonly string[]): Check =>
  value =>
    names.includes(value as string)
const isTextOrNull: Check = value => value === null || isText(value)
const isLimits: Check = value => {
  if (value === null) return true
  if (typeof value !== 'object') return false
  const { perMinute, perHour, perDay } = value as Record<string, unknown>
  return isCountOrNull(perMinute) && isCountOrNull(perHour) && isCountOrNull(perDay)
}

const isTimeOrNull: Check = value => value === null || isTime(value)
const isTime: Check = value =>
  Number.isFinite(value) && (value as number) >= 0 && (value as number) <= TIME_MS_MAX
const isEndpoints: Check = value => value === null || (Array.isArray(value) && value.every(isCount))
const isAddresses: Check = value =>
  value === null || (Array.isArray(value) && value.length <= KEY_ADDRESSES_MAX && value.every(isNetwork))
const isNetwork: Check = value => typeof value === 'string' && parseNetwork(value) !== null

/** Every field that an event must have; others are for later versions. */
const FIELDS: {
  [Kind in Exclude<LedgerEvent['kind'], 'usage'>]: Record<Exclude<keyof Fields<Kind>, 'by'>, Check> & {
    by?: Check
  }
} = {
  open: {},
  account: { slot: isCount, id: isText, email: isText },
  identity: { account: isCount, issuer: isText, subject: isText },
  key: { slot: isCount, id: isText, account: isCount, label: isText, start: isText, hash: isText },
  rename: { key: isCount, label: isText },
  revoke: { key: isCount },
  cap: { key: isCount, micros: isCountOrNull },
  limits: { account: isCount, limits: isLimits },
  profile: { account: isCount, lowBalanceMicros: isCountOrNull },
  credit: {
    account: isCount,
    micros: isCount,
    debtPaidMicros: isCount,
    credit: isOneOf(CREDIT_KINDS),
    reference: isText,
    note: isText,
  },
  adjust: {
    account: isCount,
    micros: isCount,
    takenMicros: isCount,
    adjust: isOneOf(ADJUSTMENT_KINDS),
    reference: isText,
    note: isText,
  },
  suspended: { account: isCount, reason: isText, by: isText },
  resumed: { account: isCount, reason: isText, by: isText },
  closed: { account: isCount, takenMicros: isCount, reference: isText, reason: isText, by: isText },
  rules: {
    key: isCount,
    expiresMs: isTimeOrNull,
    limits: isLimits,
    endpoints: isEndpoints,
    addresses: isAddresses,
  },
  roll: { key: isCount, start: isText, hash: isText, untilMs: isTime },
  overlap: { key: isCount, untilMs: isTime },
  invited: {
    account: isCount,
    invitation: isText,
    email: isText,
    role: isOneOf(ROLES),
    endMs: isCount,
    by: isText,
  },
  uninvited: { account: isCount, invitation: isText },
  member: {
    account: isCount,
    person: isCount,
    role: value => value === null || isOneOf(ROLES)(value),
    invitation: isTextOrNull,
    by: isText,
  },
}

const CHECKS = new Map(Object.entries(FIELDS).map(([kind, fields]) => [kind, Object.entries(fields)]))

/**
 * `[timeMs, ...events]` of `bytes[start, end)` in a segment of this version. The frame's CRC says that it is what a writer
 * wrote, but not who that was: the types are checked here, and what they mean by the book.
 * @throws Error for a value of the wrong type; UnknownClassError for usage that only a later version knows
 */
export function decodePayload(bytes: Uint8Array, start: number, end: number, version: number): Payload {
  const payload = unpackValue(bytes, start, end)
  expectTimed(payload)
  for (let index = 1; index < payload.length; index++) {
    const event = payload[index]
    if (Array.isArray(event)) {
      expectCounts(event)
      const rows = version === 1 ? rowsOfVersion1(event) : event
      expectUsageRows(rows)
      payload[index] = { kind: 'usage', rows }
    } else {
      expectEvent(event)
      if (event.kind === 'rules') expectKnownClasses(event.endpoints)
    }
  }
  return payload as Payload
}

/** @throws Error when a payload is not an array that begins with a time */
function expectTimed(payload: unknown): asserts payload is [number, ...unknown[]] {
  if (!Array.isArray(payload)) throw new Error(`a payload of type ${typeof payload}, not an array`)
  const timeMs = payload[0]
  if (isTime(timeMs)) return
  throw new Error(`the time ${said(timeMs)}, not milliseconds since 1970`)
}

/** @throws Error when an event lacks a field of its kind, or has one of another type */
function expectEvent(event: unknown): asserts event is LedgerEvent {
  if (typeof event !== 'object' || event === null) throw new Error(`${said(event)} is not an event`)
  const { kind } = event as { kind?: unknown }
  const checks = CHECKS.get(kind as string)
  if (checks === undefined) throw new Error(`unknown kind of event ${said(kind)}`)
  for (const [field, check] of checks) {
    const value = (event as Record<string, unknown>)[field]
    if (!check(value)) throw new Error(`${field} of an event of kind ${kind} is ${said(value)}`)
  }
}

/** @throws UnknownClassError for an endpoint that only a later version knows */
export function expectKnownClasses(endpoints: readonly number[] | null): void {
  const unknown = endpoints?.find(usage => usage >= USAGE_CLASSES_COUNT)
  if (unknown !== undefined) throw new UnknownClassError(`a key for usage class ${unknown}`)
}

/** Usage is nearly all of a ledger, so this is a plain loop. @throws Error for anything else than counts */
function expectCounts(rows: unknown[]): asserts rows is number[] {
  for (let index = 0; index < rows.length; index++) {
    const count = rows[index]
    if (!Number.isSafeInteger(count) || (count as number) < 0) throw new Error(`usage of ${said(count)}`)
  }
}

/** A value for a message: short, whatever it is. */
function said(value: unknown): string {
  const text = typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value)
  return `${typeof value} ${text.slice(0, 40)}`
}

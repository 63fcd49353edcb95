/** Checks of what operators, customers and payment providers send. Each returns the value in its stored form. */
import {
  CREDIT_MAX_MICROS,
  EMAIL_LENGTH_MAX,
  IDENTITY_LENGTH_MAX,
  LABEL_LENGTH_MAX,
  NOTE_LENGTH_MAX,
  RATE_LIMIT_MAX,
  RATE_LIMIT_MIN,
  REFERENCE_LENGTH_MAX,
} from '../../limits.ts'
import { AccountError, type AccountErrorCode } from '../errors.ts'
import type { RateLimits } from '../types.ts'

/** Control characters have no place in a line of text. */
const CONTROL = /\p{Cc}/u
const EMAIL = /^[^\s@]+@[^\s@]+$/

/** Lower case, so that one address is one account. @throws INVALID_EMAIL */
export function checkEmail(email: string): string {
  const text = checkText(email, 'INVALID_EMAIL', 'An email address', 3, EMAIL_LENGTH_MAX).toLowerCase()
  if (!EMAIL.test(text))
    throw new AccountError('INVALID_EMAIL', `${JSON.stringify(email)} is no email address.`)
  return text
}

export function checkLabel(label: string): string {
  return checkText(label, 'INVALID_LABEL', 'A label', 0, LABEL_LENGTH_MAX)
}

export function checkReference(reference: string): string {
  return checkText(reference, 'INVALID_REFERENCE', 'A reference', 1, REFERENCE_LENGTH_MAX)
}

export function checkNote(note: string): string {
  return checkText(note, 'INVALID_NOTE', 'A note', 0, NOTE_LENGTH_MAX)
}

export function checkIdentity(text: string): string {
  return checkText(text, 'INVALID_IDENTITY', 'An issuer or subject', 1, IDENTITY_LENGTH_MAX)
}

/** The amount of one credit or adjustment. @throws INVALID_AMOUNT */
export function checkAmount(micros: number): number {
  if (Number.isSafeInteger(micros) && micros >= 1 && micros <= CREDIT_MAX_MICROS) return micros
  throw new AccountError(
    'INVALID_AMOUNT',
    `An amount is 1 to ${CREDIT_MAX_MICROS} whole micro-dollars, not ${micros}.`,
  )
}

/** A threshold or cap: any whole amount from 0 on, or null for none. */
export function checkThreshold(micros: number | null, code: AccountErrorCode): number | null {
  if (micros === null || (Number.isSafeInteger(micros) && micros >= 0)) return micros
  throw new AccountError(code, `It is a whole number of micro-dollars from 0 on, or nothing; not ${micros}.`)
}

/** @throws INVALID_LIMITS */
export function checkLimits(limits: RateLimits | null): RateLimits | null {
  if (limits === null) return null
  const { perMinute, perHour, perDay } = limits
  return { perMinute: checkLimit(perMinute), perHour: checkLimit(perHour), perDay: checkLimit(perDay) }
}

function checkLimit(limit: number | null): number | null {
  if (limit === null) return null
  if (Number.isInteger(limit) && limit >= RATE_LIMIT_MIN && limit <= RATE_LIMIT_MAX) return limit
  throw new AccountError(
    'INVALID_LIMITS',
    `A rate limit is a whole number from ${RATE_LIMIT_MIN} to ${RATE_LIMIT_MAX}, not ${limit}.`,
  )
}

/** A kind out of `kinds`, which came as text from outside. @throws INVALID_KIND */
export function checkKind<K extends string>(kind: K, kinds: readonly K[]): K {
  if (kinds.includes(kind)) return kind
  throw new AccountError(
    'INVALID_KIND',
    `The kind is one of ${kinds.join(', ')}; not ${JSON.stringify(kind)}.`,
  )
}

function checkText(text: string, code: AccountErrorCode, what: string, min: number, max: number): string {
  const trimmed = typeof text === 'string' ? text.trim() : ''
  const fits = typeof text === 'string' && trimmed.length >= min && trimmed.length <= max
  if (fits && !CONTROL.test(trimmed)) return trimmed
  throw new AccountError(code, `${what} has ${min} to ${max} printable characters.`)
}

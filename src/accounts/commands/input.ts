/**
 * Checks of what operators, customers, sign-ins and payment providers send. Every text that the ledger stores passes
 * through `checkText`, whatever way it came in. Each check returns the value in its stored form.
 */
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
  // A few letters have a longer lower case.
  if (EMAIL.test(text) && text.length <= EMAIL_LENGTH_MAX) return text
  throw new AccountError('INVALID_EMAIL', `${JSON.stringify(email)} is not an email address.`)
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

/** Why an account is suspended, resumed or closed. Its owner reads it. @throws INVALID_REASON */
export function checkReason(reason: string): string {
  return checkText(reason, 'INVALID_REASON', 'A reason', 1, NOTE_LENGTH_MAX)
}

/**
 * An issuer or a subject, character for character: a provider may tell two people apart by a space at the end.
 * @throws INVALID_IDENTITY
 */
export function checkIdentity(text: string): string {
  const trimmed = checkText(text, 'INVALID_IDENTITY', 'An issuer or subject', 1, IDENTITY_LENGTH_MAX)
  if (trimmed === text) return text
  throw new AccountError('INVALID_IDENTITY', 'An issuer or subject does not begin or end with white space.')
}

/** The amount of one credit or adjustment. @throws INVALID_AMOUNT */
export function checkAmount(micros: number): number {
  if (Number.isSafeInteger(micros) && micros >= 1 && micros <= CREDIT_MAX_MICROS) return micros
  throw new AccountError(
    'INVALID_AMOUNT',
    `An amount is 1 to ${CREDIT_MAX_MICROS} whole micro-dollars, not ${micros}.`,
  )
}

/** A threshold or cap: a non-negative whole amount, or null for none. */
export function checkThreshold(micros: number | null, code: AccountErrorCode): number | null {
  if (micros === null) return null
  // Adding 0 turns -0, which the ledger does not store, into 0.
  if (Number.isSafeInteger(micros) && micros >= 0) return micros + 0
  throw new AccountError(code, `It is a non-negative integer of micro-dollars, or nothing; not ${micros}.`)
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
    `A rate limit is an integer from ${RATE_LIMIT_MIN} to ${RATE_LIMIT_MAX}, not ${limit}.`,
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

/**
 * One line of well-formed Unicode without white space around it. A lone surrogate has no UTF-8 form: on the disk it would
 * become U+FFFD, and two texts that differ in memory would be one after the next start.
 */
function checkText(text: string, code: AccountErrorCode, what: string, min: number, max: number): string {
  const trimmed = typeof text === 'string' ? text.trim() : ''
  const fits = typeof text === 'string' && trimmed.length >= min && trimmed.length <= max
  if (!fits || CONTROL.test(trimmed)) {
    throw new AccountError(code, `${what} has ${min} to ${max} printable characters.`)
  }
  if (trimmed.isWellFormed()) return trimmed
  throw new AccountError(
    code,
    `${what} is well-formed Unicode text; this one contains half of a surrogate pair.`,
  )
}

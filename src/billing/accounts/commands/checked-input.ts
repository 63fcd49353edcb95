/** Checks of input. Each returns the stored form. Every text of the ledger passes `checkText`. */
import { createHash } from 'node:crypto'
import { identityKey } from '../../ledger/book/book.ts'
import type { Identity } from '../../ledger/book/record.ts'
import type { RateLimits } from '../../ledger/event.ts'
import {
  ACCOUNT_NOTE_LENGTH_MAX,
  CREDIT_MAX_MICROS,
  EMAIL_LENGTH_MAX,
  IDENTITY_LENGTH_MAX,
  LABEL_LENGTH_MAX,
  NOTE_LENGTH_MAX,
  RATE_LIMIT_MAX,
  RATE_LIMIT_MIN,
  REFERENCE_LENGTH_MAX,
} from '../../limits.ts'
import { AccountError, type AccountErrorCode } from '../account-error.ts'

/** Control characters, and those that turn the direction of the text after them. */
const CONTROL = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
/** An address alone, without a name or the brackets around it. */
const EMAIL = /^[^\s\p{C}@<>()[\],;:\\"]+@[^\s\p{C}@<>()[\],;:\\".]+(?:\.[^\s\p{C}@<>()[\],;:\\".]+)*$/u

export const checkLabel = (label: string) => checkText(label, 'INVALID_LABEL', 'A label', 0, LABEL_LENGTH_MAX)
export const checkNote = (note: string) => checkText(note, 'INVALID_NOTE', 'A note', 0, NOTE_LENGTH_MAX)
export const checkReference = (reference: string) =>
  checkText(reference, 'INVALID_REFERENCE', 'A reference', 1, REFERENCE_LENGTH_MAX)
/** Only operators see a note on an account. It may have several lines. */
export const checkAccountNote = (note: string) => {
  const lines = note.replaceAll('\r', '').trim()
  checkText(lines.replaceAll('\n', ' '), 'INVALID_NOTE', 'A note', 0, ACCOUNT_NOTE_LENGTH_MAX)
  return lines
}
export const checkReason = (reason: string) =>
  checkText(reason, 'INVALID_REASON', 'A reason', 1, NOTE_LENGTH_MAX)

export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}

/** Returns the address in lower case, so that one address is one account. @throws INVALID_EMAIL */
export function checkEmail(email: string): string {
  const text = checkText(email, 'INVALID_EMAIL', 'An email address', 3, EMAIL_LENGTH_MAX).toLowerCase()
  // Some letters have a longer lower case.
  if (isEmail(text) && text.length <= EMAIL_LENGTH_MAX) return text
  throw new AccountError('INVALID_EMAIL', `${JSON.stringify(email)} is not an email address.`)
}

/** @throws INVALID_IDENTITY, also for white space at an end: a provider may distinguish people by it */
export function checkIdentity({ issuer, subject }: Identity): Identity {
  const flaw = 'An issuer or subject does not begin or end with white space.'
  for (const text of [issuer, subject])
    if (checkText(text, 'INVALID_IDENTITY', 'An issuer or subject', 1, IDENTITY_LENGTH_MAX) !== text)
      throw new AccountError('INVALID_IDENTITY', flaw)
  return { issuer, subject }
}

export function checkAmount(micros: number): number {
  if (Number.isSafeInteger(micros) && micros >= 1 && micros <= CREDIT_MAX_MICROS) return micros
  throw new AccountError(
    'INVALID_AMOUNT',
    `An amount is 1 to ${CREDIT_MAX_MICROS} whole micro-dollars, not ${micros}.`,
  )
}

export function checkMicrosOrNull(micros: number | null, code: AccountErrorCode): number | null {
  if (micros === null) return null
  // Adding 0 turns -0 into 0: the ledger does not store -0.
  if (Number.isSafeInteger(micros) && micros >= 0) return micros + 0
  throw new AccountError(code, `An amount is 0 or more whole micro-dollars, not ${micros}.`)
}

export function checkLimits(limits: RateLimits | null): RateLimits | null {
  if (limits === null) return null
  const { perMinute, perHour, perDay } = limits
  for (const limit of [perMinute, perHour, perDay])
    if (limit !== null && !(Number.isInteger(limit) && limit >= RATE_LIMIT_MIN && limit <= RATE_LIMIT_MAX))
      throw new AccountError(
        'INVALID_LIMITS',
        `A rate limit is an integer from ${RATE_LIMIT_MIN} to ${RATE_LIMIT_MAX}, not ${limit}.`,
      )
  return { perMinute, perHour, perDay }
}

const NAME_CHARACTERS_MAX = 200

/** Returns a name for an account with an unproved `email`: a space makes it no address, the digest unique. */
export function unverifiedName(email: string, issuer: string, subject: string): string {
  const characters = [...email.replace(/[\p{C}\p{Z}]/gu, '').toLowerCase()]
  const digest = createHash('sha256').update(identityKey(issuer, subject)).digest('hex').slice(0, 16)
  return `${characters.slice(0, NAME_CHARACTERS_MAX).join('')} (unverified ${digest})`
}

/** Returns one line, trimmed. Half of a surrogate pair is refused: it has no UTF-8 form. */
function checkText(text: string, code: AccountErrorCode, what: string, min: number, max: number): string {
  const trimmed = typeof text === 'string' ? text.trim() : ''
  const fits = typeof text === 'string' && trimmed.length >= min && trimmed.length <= max
  if (!fits || CONTROL.test(trimmed))
    throw new AccountError(code, `${what} has ${min} to ${max} printable characters.`)
  if (trimmed.isWellFormed()) return trimmed
  throw new AccountError(code, `${what} must be valid Unicode. Remove the broken character.`)
}

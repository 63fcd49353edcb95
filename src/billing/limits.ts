/** Bounds of accounts, members and keys that the dashboard and commands also name. */
import { DAY_MS } from '../platform/time.ts'

/** Largest single credit: $1,000,000. Sums of 9,000 such credits are exact in a double. */
export const CREDIT_MAX_MICROS = 1_000_000_000_000
/** Minimum of a rate limit, in queries per window. */
export const RATE_LIMIT_MIN = 1
/** Maximum of a rate limit, in queries per window. */
export const RATE_LIMIT_MAX = 10_000_000
/** Maximum number of members and open invitations of one account. */
export const TEAM_MAX = 50
/** Maximum number of networks that a key is restricted to. */
export const KEY_ADDRESSES_MAX = 32
/** Longest time that a previous secret goes on working. */
export const KEY_OVERLAP_MS_MAX = 90 * DAY_MS
/** Maximum characters of an email address, by RFC 5321. */
export const EMAIL_LENGTH_MAX = 254
export const LABEL_LENGTH_MAX = 64
/** Maximum characters of a payment's reference. */
export const REFERENCE_LENGTH_MAX = 128
/** Maximum characters of a note on a credit or a debit. */
export const NOTE_LENGTH_MAX = 256
export const ACCOUNT_NOTE_LENGTH_MAX = 500
/** Maximum characters of a sign-in's issuer, and of its subject. */
export const IDENTITY_LENGTH_MAX = 255

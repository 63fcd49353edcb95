/**
 * Bounds and defaults that several rooms share. A bound of one room is in the file that holds to it. Bounds that follow from the layout of a
 * file are in `format/layout.ts` and `ledger/log/frame.ts`.
 */
import { DAY_MS } from './time.ts'

/** Largest single credit: $1,000,000. Keeps every sum exact in a double for 9,000 such credits of one account. */
export const CREDIT_MAX_MICROS = 1_000_000_000_000
/** Minimum of a rate limit, in queries per window. */
export const RATE_LIMIT_MIN = 1
/** Maximum of a rate limit, in queries per window. */
export const RATE_LIMIT_MAX = 10_000_000
/** Milliseconds between flushes. A power cut loses the charges of this time and of the sync in progress. */
export const FLUSH_MS_DEFAULT = 5
/** Maximum number of records of one bulk request. */
export const BULK_RECORDS_MAX = 1000
/** Maximum characters of a postal code after its separators are removed. */
export const CODE_LENGTH_MAX = 10
/** Maximum number of results of nearest in the API. */
export const NEAREST_MAX = 100
/** Default number of results of nearest. */
export const NEAREST_DEFAULT = 10
/** Maximum number of suggestions. */
export const SUGGESTIONS_MAX = 50
/** Default number of suggestions. */
export const SUGGESTIONS_DEFAULT = 10
/** Maximum number of areas named beside a suggested city. The index stores no more. */
export const AREAS_PER_SUGGESTION_MAX = 5
/** Maximum radius in kilometres: half the way around the earth. */
export const RADIUS_KM_MAX = 20_040
/** Maximum number of items of a page of a list. */
export const LIST_MAX = 10_000
/** Default number of items of a page of a list. */
export const LIST_DEFAULT = 1000
/** Maximum offset and length of a page of a city's codes. */
export const CITY_PAGE_MAX = 10_000_000
/** Maximum number of members and open invitations of one account. */
export const TEAM_MAX = 50
/** Default number of accounts that memory is reserved for. */
export const ACCOUNTS_MAX_DEFAULT = 1_000_000
/** Default number of keys that memory is reserved for, revoked ones included. */
export const KEYS_MAX_DEFAULT = 1_000_000
/** Largest value of either setting: the live state of both together has 3.4 GB of address space. */
export const SLOTS_SETTING_MAX = 2_000_000
/** Maximum number of networks that a key is restricted to. */
export const KEY_ADDRESSES_MAX = 32
/** Longest time that a replaced secret goes on working. */
export const KEY_OVERLAP_MS_MAX = 90 * DAY_MS
/** Maximum characters of an email address, by RFC 5321. */
export const EMAIL_LENGTH_MAX = 254
/** Maximum characters of a key's label. */
export const LABEL_LENGTH_MAX = 64
/** Maximum characters of a payment's reference. */
export const REFERENCE_LENGTH_MAX = 128
/** Maximum characters of a note on a credit or a debit. */
export const NOTE_LENGTH_MAX = 256
/** Maximum characters of the operators' note on an account. */
export const ACCOUNT_NOTE_LENGTH_MAX = 500
/** Maximum characters of a sign-in's issuer, and of its subject. */
export const IDENTITY_LENGTH_MAX = 255
/** Time in which replies in progress must finish when the server stops. */
export const SHUTDOWN_GRACE_MS = 3000
/** Maximum bytes of a GeoNames file, packed or not: the largest has 130 MB. */
export const SOURCE_FILE_BYTES_MAX = 2 * 1024 ** 3
/** Maximum bytes of one line of such a file: the longest has some 300. */
export const SOURCE_LINE_BYTES_MAX = 16 * 1024
/** Maximum number of codes of an imported source, each counted once for each of its names. The largest country has 2 million. */
export const SOURCE_GROUPS_MAX = 4_000_000
/** Maximum number of names of one code of an imported source. Further ones are left out. */
export const SOURCE_NAMES_PER_CODE_MAX = 1000
/** Maximum characters of a name in imported addresses. A longer one is cut. */
export const SOURCE_NAME_LENGTH_MAX = 128
/** Longest life of a session. */
export const SESSION_MS_MAX = 30 * DAY_MS
/** Maximum number of server threads of a process. */
export const HTTP_THREADS_MAX = 64
/** Requests that a thread answers at once in any turn of its event loop. */
export const TURN_REQUESTS = 64
/** Time after which further requests of a turn wait for its end. */
export const TURN_MS_MAX = 1
/** Further requests of one network (IPv6: one /64) that are answered in a turn that is over. */
export const TURN_LATE_REQUESTS = 16
/** Maximum number of networks with such requests. */
export const TURN_LATE_NETWORKS = 16
/** Used share of a limit or a cap that counts as near it, in `approachingLimit`, alerts and meters. */
export const NEAR_SHARE = 0.8
/** Length of each of the two logs of an account, answered and refused requests. */
export const REQUESTS_SHOWN_MAX = 1000
/** Hours that errors are counted for. */
export const ERROR_HOURS = 48
/** Maximum number of accounts on one page of the operator's list. */
export const ACCOUNTS_PER_PAGE_MAX = 50

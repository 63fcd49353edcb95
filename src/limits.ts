/** Every bound of the service in one place. Nothing that comes from outside is read, kept or queued without one. */

/** Price of one query and the money rules, in whole micro-dollars. */
export const QUERY_PRICE_MICROS = 28
export const NEW_ACCOUNT_CREDIT_MICROS = 28_000
export const RECHARGE_MIN_MICROS = 5_000_000
/** Largest single credit: $1,000,000. Keeps every sum exact in a double for 9,000 such credits of one account. */
export const CREDIT_MAX_MICROS = 1_000_000_000_000

/** Range of a rate limit, in queries per window. */
export const RATE_LIMIT_MIN = 1
export const RATE_LIMIT_MAX = 10_000_000

/** Records of one bulk request. */
export const BULK_RECORDS_MAX = 1000

/** Bulk bodies below this are validated on the main thread; a worker's round trip costs more than they do. */
export const BULK_THRESHOLD_BYTES = 8 * 1024
/** Bulk bodies that may wait for a worker; one more is answered 503. */
export const BULK_QUEUE_MAX = 64

/** Characters of a postal code after its separators are removed. */
export const CODE_LENGTH_MAX = 10

/** Bytes of a single-record body, and of a bulk body: 1,000 records with generous white space take a tenth of it. */
export const BODY_BYTES_MAX = 16 * 1024
export const BULK_BODY_BYTES_MAX = 1024 * 1024

/** Accounts, active keys of one account, keys that one account may ever have had, keys in all. */
export const ACCOUNTS_MAX = 1_000_000
export const KEYS_PER_ACCOUNT_MAX = 100
export const KEYS_PER_ACCOUNT_EVER_MAX = 10_000
export const KEYS_MAX = 2_000_000

/** Characters of free text that an operator or customer gives. */
export const EMAIL_LENGTH_MAX = 254
export const LABEL_LENGTH_MAX = 64
export const REFERENCE_LENGTH_MAX = 128
export const NOTE_LENGTH_MAX = 256
/** Characters of a sign-in's issuer and of its subject. */
export const IDENTITY_LENGTH_MAX = 255

/** Sum of everything ever credited to one account: $4.5 billion, half of what a double holds exactly. */
export const CREDITED_MAX_MICROS = 4_500_000_000_000_000
/** Commands on accounts whose sync is under way. */
export const COMMANDS_WAITING_MAX = 100_000

/** Every bound of the service in one place. Nothing that comes from outside is read, kept or queued without one. */

/** Price of one query and the money rules, in whole micro-dollars. */
export const QUERY_PRICE_MICROS = 28
/** Free queries of a new account, and the credit that pays for them. */
export const NEW_ACCOUNT_QUERIES = 1000
export const NEW_ACCOUNT_CREDIT_MICROS = NEW_ACCOUNT_QUERIES * QUERY_PRICE_MICROS
export const RECHARGE_MIN_MICROS = 5_000_000
/** Largest single credit: $1,000,000. Keeps every sum exact in a double for 9,000 such credits of one account. */
export const CREDIT_MAX_MICROS = 1_000_000_000_000

/** Range of a rate limit, in queries per window. */
export const RATE_LIMIT_MIN = 1
export const RATE_LIMIT_MAX = 10_000_000

/**
 * Milliseconds between two syncs of usage, and the most that a power cut takes from the newest charges. Under full load a
 * sync costs the server's thread 0.3 to 0.6 ms, most of it in waking another: at every 5 ms 7 to 11 percent of its time, at
 * every 20 ms 3.5, at every 50 ms 1 (`bench/ledger-cost.ts`).
 */
export const FLUSH_MS_DEFAULT = 50

/**
 * Longest time that an entry may wait for its sync. Beyond it nothing is charged until the disk answers: what would be
 * acknowledged could be lost with the power. A sync takes milliseconds; on a machine with five times the work that it has
 * processors for, one of over 2 seconds was seen (`bench/ledger-scale.ts`).
 */
export const UNSYNCED_MS_MAX = 5000

/** Accounts and keys up to which closing the ledger writes a snapshot: some tenths of a second. */
export const CLOSING_SNAPSHOT_SLOTS_MAX = 20_000

/** Keys whose usage one turn of the event loop moves to the ledger, and keys that may wait for one sync. */
export const FLUSH_KEYS_PER_TURN = 64
export const FLUSH_KEYS_PER_SYNC = 4096

/** Records of one bulk request. */
export const BULK_RECORDS_MAX = 1000

/**
 * Bulk bodies below this are validated on the main thread: handing one over and taking its answer back costs that thread as
 * much as some 400 records do.
 */
export const BULK_THRESHOLD_BYTES = 16 * 1024
/** Bulk bodies that may wait for a worker; one more is answered 503. */
export const BULK_QUEUE_MAX = 64

/** Characters of a postal code after its separators are removed. */
export const CODE_LENGTH_MAX = 10

/** Bytes of a single-record body, and of a bulk body: 1,000 records with generous white space take a tenth of it. */
export const BODY_BYTES_MAX = 16 * 1024
export const BULK_BODY_BYTES_MAX = 1024 * 1024
/** Bytes beyond those that are read and dropped, so that the client gets to read its 413. */
export const BODY_DRAIN_BYTES_MAX = 8 * 1024 * 1024

/** Accounts, active keys of one account, keys that one account may create within 30 days, keys in all. */
export const ACCOUNTS_MAX = 1_000_000
export const KEYS_PER_ACCOUNT_MAX = 100
export const KEYS_CREATED_MAX = 10_000
export const KEYS_CREATED_DAYS = 30
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
/** Commands on accounts that wait for their sync. */
export const COMMANDS_WAITING_MAX = 100_000

/** Bytes of a Unix socket's path: `sockaddr_un` has 108 with the closing zero. */
export const SOCKET_PATH_BYTES_MAX = 107

/** Bytes of an operator command's body and of its answer, over the Unix socket. */
export const OPERATOR_BODY_BYTES_MAX = 64 * 1024
/** Bytes of an operator command's answer that the CLI reads: a statement or a listing, not a stream without end. */
export const OPERATOR_ANSWER_BYTES_MAX = 256 * 1024 * 1024

/** Header bytes of one request to the control plane, and the time that it may take to arrive. */
export const CONTROL_HEADER_BYTES_MAX = 16 * 1024
export const CONTROL_REQUEST_MS_MAX = 30_000

/** How long replies under way may take to finish when the server stops. */
export const SHUTDOWN_GRACE_MS = 3000

/** How long a command waits for a data folder that another process holds without answering. */
export const OPERATOR_WAIT_MS = 10_000

/** Malformed rows that a data source may have before the build fails: so many, or a larger number up to this share. */
export const SOURCE_BAD_ROWS_MAX = 100
export const SOURCE_BAD_ROWS_SHARE = 0.001

/** People signed in at a time, and sign-ins under way, whose times are bounded too. */
export const SESSIONS_MAX = 100_000
export const SIGN_INS_MAX = 10_000
export const SIGN_IN_MS_MAX = 10 * 60_000

/** Bytes of a form of the dashboard, and of a message from a payment provider. */
export const FORM_BYTES_MAX = 16 * 1024
export const WEBHOOK_BYTES_MAX = 512 * 1024

/** Largest single recharge through the dashboard: $10,000, in whole micro-dollars. */
export const RECHARGE_MAX_MICROS = 10_000_000_000

/** Characters of an answer that the Try it page shows. */
export const TRY_ANSWER_CHARACTERS_MAX = 20_000

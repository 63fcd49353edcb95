/**
 * Bounds on requests, forms, commands, files and waiting work, and their defaults. Bounds that follow from the layout of a file are
 * in `format/layout.ts` and `ledger/log/frame.ts`.
 */
import { DAY_MS, MINUTE_MS } from './time.ts'

/** Smallest payment by card: $5. */
export const RECHARGE_MIN_MICROS = 5_000_000
/** Largest single credit: $1,000,000. Keeps every sum exact in a double for 9,000 such credits of one account. */
export const CREDIT_MAX_MICROS = 1_000_000_000_000
/** Minimum of a rate limit, in queries per window. */
export const RATE_LIMIT_MIN = 1
/** Maximum of a rate limit, in queries per window. */
export const RATE_LIMIT_MAX = 10_000_000
/** Milliseconds between flushes. A power cut loses the charges of this time and of the sync in progress. */
export const FLUSH_MS_DEFAULT = 5
/** Milliseconds between flushes on a machine of FEW_CORES, where syncs would take a tenth of the requests. */
export const FLUSH_MS_FEW_CORES = 50
/** Number of cores up to which FLUSH_MS_FEW_CORES holds. */
export const FEW_CORES = 2
/**
 * Longest time that an entry may wait for its sync. Nothing more is charged until the disk answers, since a power cut would lose
 * it. A sync takes milliseconds, and over 2 seconds on an overloaded machine.
 */
export const UNSYNCED_MS_MAX = 5000
/** Time that a closing ledger gives a snapshot in progress. A small book's snapshot ends in it. */
export const SNAPSHOT_GRACE_MS = 500
/** Time after which the snapshot of a closing ledger is given up. */
export const CLOSING_SNAPSHOT_MS_MAX = 1000
/** Rows of the meter that one turn of the event loop moves to the ledger. */
export const FLUSH_KEYS_PER_TURN = 64
/** Rows of the meter that may wait for one sync. */
export const FLUSH_KEYS_PER_SYNC = 4096
/** Maximum number of records of one batch. */
export const BATCH_RECORDS_MAX = 1000
/** Batches of validate-bulk below this are answered on the server thread: handing one over costs as much as 400 records. */
export const BATCH_THRESHOLD_BYTES = 16 * 1024
/** Maximum number of batches and other requests that may wait for a worker. Further ones are answered 503. */
export const BATCH_QUEUE_MAX = 64
/** Maximum characters of a postal code after its separators are removed. */
export const CODE_LENGTH_MAX = 10
/** Maximum characters of a city's or a state's name. A longer text matches nothing. */
export const NAME_LENGTH_MAX = 128
/** Maximum number of results of nearest in the API. */
export const NEAREST_MAX = 100
/** Maximum number of results of nearest in process: 8,000 ZIP codes lie within 300 miles of New York. */
export const NEAREST_IN_PROCESS_MAX = 10_000
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
/** Maximum radius in kilometres for rare kinds of codes. A wider search would read all codes of the world. */
export const RARE_KIND_KM_MAX = 100
/** Maximum number of items of a page of a list. */
export const LIST_MAX = 10_000
/** Default number of items of a page of a list. */
export const LIST_DEFAULT = 1000
/** Maximum offset and length of a page of a city's codes. */
export const CITY_PAGE_MAX = 10_000_000
/** Maximum bytes of a single request's body. */
export const BODY_BYTES_MAX = 16 * 1024
/** Maximum bytes of a batch: ten times 1,000 records with generous white space. */
export const BATCH_BODY_BYTES_MAX = 1024 * 1024
/** Maximum bytes beyond the bound that are read and dropped, so that the client reads its 413. */
export const BODY_DRAIN_BYTES_MAX = 8 * 1024 * 1024
/** Maximum number of members and open invitations of one account. */
export const TEAM_MAX = 50
/** Maximum number of accounts that one person is a member of. */
export const ACCOUNTS_PER_PERSON_MAX = 50
/** Longest life of an invitation: 7 days. */
export const INVITATION_MS_MAX = 7 * DAY_MS
/** Default number of accounts that memory is reserved for. */
export const ACCOUNTS_MAX_DEFAULT = 1_000_000
/** Default number of keys that memory is reserved for, revoked ones included. */
export const KEYS_MAX_DEFAULT = 1_000_000
/** Largest value of either setting: the live state of both together has 3.4 GB of address space. */
export const SLOTS_SETTING_MAX = 2_000_000
/** Maximum number of active keys of one account. */
export const KEYS_PER_ACCOUNT_MAX = 100
/** Maximum number of keys that one account may create in KEYS_CREATED_DAYS. */
export const KEYS_CREATED_MAX = 10_000
/** Days in which created keys are counted. */
export const KEYS_CREATED_DAYS = 30
/** Maximum number of networks that a key is restricted to. */
export const KEY_ADDRESSES_MAX = 32
/** Longest time that a replaced secret goes on working. */
export const KEY_OVERLAP_MS_MAX = 90 * DAY_MS
/** Default time that a replaced secret goes on working. */
export const KEY_OVERLAP_MS_DEFAULT = DAY_MS
/** Latest expiry of a key: 100 years from now. */
export const KEY_EXPIRY_MS_MAX = 100 * 366 * DAY_MS
/** Maximum characters of an email address, by RFC 5321. */
export const EMAIL_LENGTH_MAX = 254
/** Maximum characters of a key's label. */
export const LABEL_LENGTH_MAX = 64
/** Maximum characters of a payment's reference. */
export const REFERENCE_LENGTH_MAX = 128
/** Maximum characters of a note on a credit or a debit. */
export const NOTE_LENGTH_MAX = 256
/** Maximum characters of a sign-in's issuer, and of its subject. */
export const IDENTITY_LENGTH_MAX = 255
/** Sum of all credits of one account: $4.5 billion, half of the largest exact double. */
export const CREDITED_MAX_MICROS = 4_500_000_000_000_000
/** Maximum number of commands on accounts that may wait. Further ones are refused. */
export const COMMANDS_WAITING_MAX = 100_000
/** Maximum bytes of a Unix socket's path: `sockaddr_un` holds 108 with the closing zero. */
export const SOCKET_PATH_BYTES_MAX = 107
/** Maximum bytes of an operator command. */
export const OPERATOR_BODY_BYTES_MAX = 64 * 1024
/** Maximum bytes of an operator command's answer that the CLI reads. */
export const OPERATOR_ANSWER_BYTES_MAX = 256 * 1024 * 1024
/** Time in which replies in progress must finish when the server stops. */
export const SHUTDOWN_GRACE_MS = 3000
/** Free space for a start: first segment, snapshot, meter, and the dashboard's files. */
export const START_DISK_BYTES = 512 * 1024
/** Free space for a first build: the index twice (being written and served), and the first segments. */
export const FIRST_BUILD_DISK_BYTES = 300 * 1024 * 1024
/** Memory that a first build needs. */
export const FIRST_BUILD_MEMORY_BYTES = 512 * 1024 * 1024
/** Time that a command waits for a data folder whose holder does not answer. */
export const OPERATOR_WAIT_MS = 10_000
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
/** Time in which a sign-in must come back from its provider. */
export const SIGN_IN_MS_MAX = 10 * MINUTE_MS
/** Longest life of a session. */
export const SESSION_MS_MAX = 30 * DAY_MS
/** Maximum number of server threads of a process. */
export const HTTP_THREADS_MAX = 64
/** Time in which a server thread must end after its last reply. */
export const THREAD_END_MS_MAX = 2000
/** Maximum number of connections of the API, where the process may open that many file descriptors. */
export const CONNECTIONS_MAX = 50_000
/** File descriptors that the API's connections leave to the ledger, the index and the dashboard; at most half of all. */
export const DESCRIPTORS_RESERVED = 512
/** Pieces of a body that may have any size. */
export const BODY_PIECES_FREE = 1000
/** Average bytes of the further pieces. A body of smaller ones is ended. */
export const BODY_PIECE_BYTES_MIN = 64
/** Maximum bytes held for unfinished bodies over all connections. Beyond it the oldest body is ended. */
export const BODIES_BYTES_MAX = 64 * 1024 * 1024
/** Minimum share of BODIES_BYTES_MAX of a server thread: room for one largest body while its buffer doubles. */
export const BODIES_BYTES_PER_THREAD_MIN = 2 * 1024 * 1024
/** Time in which a body must arrive. */
export const BODY_MS_MAX = 30_000
/** Requests that a thread answers at once in any turn of its event loop. */
export const TURN_REQUESTS = 64
/** Time after which further requests of a turn wait for its end. */
export const TURN_MS_MAX = 1
/** Requests that one of them stands for, when a turn counts those of each network (IPv6: one /64). A client may pipeline as many. */
export const TURN_SAMPLE = 16
/** Maximum number of requests that are answered at once in a turn that is over. */
export const TURN_LATE_REQUESTS = 256
/** Maximum number of failed keys of one address (IPv6: one /64) in a minute. Answers to further ones are delayed. */
export const KEY_FAILURES_MAX = 20
/** Delay of an answer to a further failed key. */
export const KEY_FAILURE_DELAY_MS = 1000
/** Maximum number of delayed answers. A further one is sent at once. */
export const KEY_FAILURES_WAITING_MAX = 4096
/** Cells in which failures are counted by address. Addresses may share one. */
export const KEY_FAILURE_CELLS = 65_536
/** Maximum number of usage classes that the ledger has room for. The table of endpoints names the used ones. */
export const USAGE_CLASSES_MAX = 16
/** Maximum bytes of a frame's payload in the files of the ledger. Readers refuse more, so writers throw. */
export const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024
/** Maximum bytes of one transaction. Its events then fit a frame of a snapshot as well. */
export const TRANSACTION_BYTES_MAX = PAYLOAD_BYTES_MAX / 2
/** Bytes at which a writer of many small values closes a frame and begins the next. */
export const FRAME_BYTES_WANTED = 256 * 1024
/** Payload bytes of one write and sync of the ledger. More waits for the next. */
export const BATCH_BYTES_MAX = 16 * 1024 * 1024
/** Maximum bytes of a segment. Once it has them, the next batch begins a new one. */
export const SEGMENT_BYTES_MAX = 64 * 1024 * 1024
/** Bytes read at a time from a snapshot, whose length has no bound. */
export const FRAME_WINDOW_BYTES = 4 * 1024 * 1024
/** Maximum bytes of a file that is read whole: a segment with its last batch, or the meter. */
export const WHOLE_FILE_BYTES_MAX = 1024 * 1024 * 1024
/** Complete segments that are kept although snapshots cover them: 4 GiB, for `ledger show`. */
export const SEGMENTS_KEPT = 64
/** Snapshots kept. The older one is used when the newest is damaged. */
export const SNAPSHOTS_KEPT = 2
/** Files of torn batches kept. */
export const TORN_KEPT = 16
/** Maximum bytes of a published index. */
export const INDEX_FILE_BYTES_MAX = 2 * 1024 ** 3
/** Maximum bytes of the manifest of a published index. */
export const MANIFEST_BYTES_MAX = 64 * 1024
/** Milliseconds in which INDEX_STALL_BYTES of a published index must arrive. A slower fetch is given up until the next check. */
export const INDEX_STALL_MS = 15_000
/** Bytes that must arrive within INDEX_STALL_MS, so that a trickle does not hold a fetch for ever. */
export const INDEX_STALL_BYTES = 64 * 1024
/** Attempts of a fetch whose connection fails. */
export const INDEX_FETCH_ATTEMPTS = 4
/** Default time between checks for a new published index. */
export const INDEX_CHECK_SECONDS_DEFAULT = 60
/** Maximum bytes of an agent's request to `postrie mcp --http`. */
export const MCP_BODY_BYTES_MAX = 256 * 1024
/** Time in which such a request must arrive. */
export const MCP_REQUEST_MS_MAX = 30_000
/** Longest time that a request waits for its node to lease more balance. Then it is answered 503 with `Retry-After`. */
export const LEASE_WAIT_MS_MAX = 1000
/** Maximum number of requests that may wait on one server thread. */
export const LEASE_WAITING_MAX = 10_000
/** Maximum bytes of the bodies of waiting requests of one server thread. */
export const LEASE_WAITING_BYTES_MAX = 64 * 1024 * 1024
/** Seconds of `Retry-After` in the 503. */
export const LEASE_RETRY_SECONDS = 1
/** Used share of a limit or a cap that counts as near it, in `approachingLimit`, alerts and meters. */
export const NEAR_SHARE = 0.8
/** A client's `X-Request-Id`. */
export const REQUEST_ID = /^[A-Za-z0-9._~:/+=@-]{1,128}$/
/** Default memory of the request logs of all accounts: 170,000 requests. */
export const REQUEST_LOG_MB_DEFAULT = 64
/** Maximum memory of the request logs of all accounts. */
export const REQUEST_LOG_MB_MAX = 1024
/** Memory that a request in a log is counted as. */
export const LOGGED_REQUEST_BYTES = 384
/** Time after which a server thread sends its notes of requests to the main thread. */
export const ACTIVITY_BATCH_MS = 100
/** Maximum number of requests that one thread notes in ACTIVITY_BATCH_MS. Further ones are left out of the logs. */
export const ACTIVITY_BATCH_REQUESTS_MAX = 1000
/** Maximum number of requests that one thread notes for one log in ACTIVITY_BATCH_MS. */
export const ACTIVITY_BATCH_REQUESTS_PER_LOG_MAX = 100
/** Maximum number of pairs of account and status, and beginnings of keys, counted in ACTIVITY_BATCH_MS. */
export const ACTIVITY_BATCH_COUNTS_MAX = 10_000
/** Length of each of the two logs of an account, answered and refused requests. */
export const REQUESTS_SHOWN_MAX = 1000
/** Maximum number of networks that are kept for a key, with their requests. A further one drops that with the fewest. */
export const KEY_SIGHTINGS_MAX = 20
/** Maximum number of keys whose networks are kept. A further one drops the key that was used least recently. */
export const SIGHTED_KEYS_MAX = 10_000
/** Longest time that the log of an account keeps requested codes. */
export const CODES_KEPT_MS_MAX = DAY_MS
/** Maximum number of hourly counts of errors by account and status, and of failed keys by their beginning. */
export const ERROR_COUNTS_MAX = 262_144
/** Hours that errors are counted for. */
export const ERROR_HOURS = 48
/** Maximum number of traces a second that clients may ask for by `traceparent`, on one thread. */
export const TRACES_ASKED_PER_SECOND_MAX = 100
/** Maximum number of email addresses in the setting of operators. */
export const OPERATORS_MAX = 100
/** Maximum number of accounts on one page of the operator's list. */
export const ACCOUNTS_PER_PAGE_MAX = 50

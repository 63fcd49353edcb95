/**
 * Bounds on what comes from outside: requests, forms, commands, files, waiting work. Nothing of that is read, kept or queued
 * without one. Three kinds of bounds live elsewhere: those that only the control plane knows (`control/limits.ts`), those that
 * follow from the layout of a file (`format/layout.ts`, `ledger/log/frame.ts`), and the sizes of a cache or buffer that one file
 * owns.
 * Facts of the product that code on both planes needs (prices, defaults) are here too.
 */

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
 * Milliseconds from one flush to the next while there are charges. A power cut takes charges that are younger than this and
 * the sync in progress. No request waits for a sync, but the ledger thread and its pool work for each: against 50 ms, a request
 * costs 12 percent more processor time at 5 ms, 21 at 2 and 32 at 1 (`bench/http/scale-flush.ts`).
 */
export const FLUSH_MS_DEFAULT = 5
/** The same on a machine of one or two cores, where a sync takes its processor time from requests: 10 percent of them at 5 ms. */
export const FLUSH_MS_FEW_CORES = 50
export const FEW_CORES = 2

/**
 * Longest time that an entry may wait for its sync. Beyond it nothing is charged until the disk answers: what would be
 * acknowledged could be lost with the power. A sync takes milliseconds; on a machine with five times the work that it has
 * processors for, one of over 2 seconds was seen (`bench/ledger-scale.ts`).
 */
export const UNSYNCED_MS_MAX = 5000

/**
 * Accounts, keys, credits and adjustments up to which closing the ledger writes a snapshot, which takes some tenths of a
 * second then, and how long it may take on a slow disk before it is given up: those who stop a service do not wait.
 */
export const CLOSING_SNAPSHOT_RECORDS_MAX = 50_000
export const CLOSING_SNAPSHOT_MS_MAX = 1000
/** How long the end of a service waits for a snapshot that is being taken. That of a small book is finished by then. */
export const SNAPSHOT_GRACE_MS = 500

/** How long a thread may take to confirm that it sees new memory. Beyond it the thread is dead, and the process ends. */
export const THREAD_ANSWER_MS_MAX = 10_000

/** Changed rows of the meter whose usage one turn of the event loop moves to the ledger, and rows that may wait for one sync. */
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

/** Characters of a city's or a state's name. A longer text is not searched for. */
export const NAME_LENGTH_MAX = 128

/** Codes that one question for the nearest, and names and codes that one for suggestions, is answered with; and without a wish. */
export const NEAREST_MAX = 100
/** The same in process, where no answer has to be written and sent: all ZIP codes within 300 miles of New York are 8,000. */
export const NEAREST_IN_PROCESS_MAX = 10_000
export const NEAREST_DEFAULT = 10
export const SUGGESTIONS_MAX = 50
export const SUGGESTIONS_DEFAULT = 10
/** Areas that a suggested name says it is in. */
export const AREAS_PER_SUGGESTION_MAX = 5
/** Suggestions that each thread keeps for names with many places; beyond it they are summed up again. */
export const SUGGESTIONS_KEPT_MAX = 16_384
/** Longest text, in UTF-16 units, to which each thread keeps its suggestions, and the bytes that it keeps of them. */
export const SHORT_QUERY_LENGTH_MAX = 3
export const SHORT_ANSWERS_BYTES_MAX: number = 4 * 1024 * 1024
/** Kilometres around a point: half the way around the earth. */
export const RADIUS_KM_MAX = 20_040

/** Codes of a city that are listed on the server's thread, in a quarter of a millisecond; a worker lists more. */
export const CITY_CODES_AT_ONCE = 1500
/** Beyond the codes of any city: the part of its list that a request may ask for. */
export const CITY_PAGE_MAX = 10_000_000
/** Lists of workers that are kept, at 9 bytes a code: the world has 14 cities of more than 5,000 codes. */
export const CITY_LISTS_MAX = 64

/** Bytes of a single-record body, and of a bulk body: 1,000 records with generous white space take a tenth of it. */
export const BODY_BYTES_MAX = 16 * 1024
export const BULK_BODY_BYTES_MAX = 1024 * 1024
/**
 * Milliseconds that batches and searches may take of one turn of the event loop; further ones wait for the next. So many of
 * a thread may wait, each with a body of at most `BULK_THRESHOLD_BYTES`.
 */
export const TURN_WORK_MS = 2
export const POSTPONED_MAX = 1024
/**
 * Bytes that the kernel holds for a connection before the server reads them, twice this: about 500 look-ups, which take 4 ms. A
 * client that sends more waits. It also bounds how fast a body can arrive: 480 KB a second at a round trip of 100 ms.
 */
export const RECEIVED_BYTES_MAX = 48 * 1024
/** Bytes of a large batch that are surveyed in one turn of the event loop, in at most half a millisecond. */
export const SURVEY_PIECE_BYTES = 128 * 1024
/** Large batches of a thread that wait for that: so many of customers, and so many whose key is not known yet. */
export const SURVEYS_WAITING_MAX = 16
/** Lists and maps within each other in a MessagePack body: a batch has three. */
export const PACKED_DEPTH_MAX = 32
/** Values of a MessagePack body: 65 for each record of the largest batch. */
export const PACKED_VALUES_MAX = 65_536
/** Bytes beyond those that are read and dropped, so that the client gets to read its 413. */
export const BODY_DRAIN_BYTES_MAX = 8 * 1024 * 1024

/** Members and pending invitations of one account, and accounts of one person besides their own. */
export const TEAM_MAX = 50
export const ACCOUNTS_PER_PERSON_MAX = 50
/** How long an invitation may be accepted. */
export const INVITATION_MS_MAX = 7 * 86_400_000
/** Accounts, active keys of one account, keys that one account may create within 30 days, keys in all. */
export const ACCOUNTS_MAX = 1_000_000
export const KEYS_PER_ACCOUNT_MAX = 100
export const KEYS_CREATED_MAX = 10_000
export const KEYS_CREATED_DAYS = 30
export const KEYS_MAX = 2_000_000

/** Networks that a key may be allowed from; how long an earlier secret of a key may go on working, and an expiry may lie ahead. */
export const KEY_ADDRESSES_MAX = 32
export const KEY_OVERLAP_MS_MAX = 90 * 86_400_000
export const KEY_OVERLAP_MS_DEFAULT = 86_400_000
export const KEY_EXPIRY_MS_MAX = 100 * 366 * 86_400_000

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

/** How long replies in progress may take to finish when the server stops. */
export const SHUTDOWN_GRACE_MS = 3000

/** Free space for a start: the first segment, snapshot and meter, and the files of the dashboard. */
export const START_DISK_BYTES = 512 * 1024
/** Free space for a first build: the index in its two states (being written and served from), and the first segments. */
export const FIRST_BUILD_DISK_BYTES = 300 * 1024 * 1024
/** Memory for a first build: npm and the command wait with 35 MB while the builder takes up to 400. */
export const FIRST_BUILD_MEMORY_BYTES = 512 * 1024 * 1024
/** Memory for a build of GeoNames' world. With less, a first start uses the npm packages alone. */
export const WORLD_BUILD_MEMORY_BYTES = 1536 * 1024 * 1024

/** How long a command waits for a data folder that another process holds without answering. */
export const OPERATOR_WAIT_MS = 10_000

/** Malformed rows that a data source may have before the build fails: so many, or a larger number up to this share. */
export const SOURCE_BAD_ROWS_MAX = 100
export const SOURCE_BAD_ROWS_SHARE = 0.001

/** Bytes of a GeoNames file, packed or not: the largest has 130 MB. */
export const SOURCE_FILE_BYTES_MAX = 2 * 1024 ** 3
/** Bytes of one line of such a file: the longest has some 300. */
export const SOURCE_LINE_BYTES_MAX = 16 * 1024
/** Entries of a zip file's directory: GeoNames' files have two. */
export const ZIP_MEMBERS_MAX = 1000
/** How many times its packed bytes a member of a zip file may have: GeoNames' files have 8 times, zeros 1,000 times. */
export const ZIP_EXPANSION_MAX = 100

/** A sign-in must come back from its provider within this time; the longest life of a session that can be set. */
export const SIGN_IN_MS_MAX = 10 * 60_000
export const SESSION_MS_MAX = 30 * 86_400_000

/** Server threads. The default leaves a core to the ledger thread, and more would only share cores. */
export const HTTP_THREADS_MAX = 64
/** How long a server waits for another one that is beginning to listen on the same port. */
export const LISTEN_WAIT_MS = 5000
/** How long a server thread may take to end after its last reply. */
export const THREAD_END_MS_MAX = 2000

/** Connections of the API, where the process may open that many file descriptors. */
export const CONNECTIONS_MAX = 50_000
/** File descriptors that the API's connections leave to the ledger, the index and the dashboard; at most half of all. */
export const DESCRIPTORS_RESERVED = 512
/** Share of the API's connections that one address (IPv6: one /64) may hold. */
export const CONNECTIONS_PER_ADDRESS_SHARE = 0.5

/** Pieces that a body may arrive in, whatever their size; those beyond must have so many bytes on average. */
export const BODY_PIECES_FREE = 1000
export const BODY_PIECE_BYTES_MIN = 64
/** Bytes held for unfinished bodies over all connections. Beyond it the oldest of them is ended. */
export const BODIES_BYTES_MAX = 64 * 1024 * 1024
/** What a server thread may hold of them however many threads there are: the largest body, in a buffer that is being doubled. */
export const BODIES_BYTES_PER_THREAD_MIN = 2 * 1024 * 1024
/** Bytes kept for the next bodies that arrive in pieces. */
export const BODIES_SPARE_BYTES_MAX = 4 * 1024 * 1024
/** How long a body may take to arrive after its first piece. */
export const BODY_MS_MAX = 30_000

/** Failed keys of one address (IPv6: one /64) in a minute; the answers to further ones come late. */
export const KEY_FAILURES_MAX = 20
export const KEY_FAILURE_DELAY_MS = 1000
/** Answers that may wait for that at a time; a further one is sent at once. */
export const KEY_FAILURES_WAITING_MAX = 4096
/** Addresses whose failures are counted in a minute. */
export const KEY_FAILURE_ADDRESSES_MAX = 16_384

/** Free answers (404) of one account in a minute, unless the setting says otherwise. */
export const FREE_ANSWERS_PER_MINUTE_DEFAULT = 600_000
/** Queries of one account whose charge is taken back in a minute because their answers could not be sent: about one buffer of them. */
export const TAKEN_BACK_PER_MINUTE_MAX = 60
/** Accounts that get charges back in one minute. */
export const TAKEN_BACK_ACCOUNTS_MAX = 10_000
/** Bytes of a frame's payload in the files of the ledger. Readers refuse more, so writers throw. */
export const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024
/** Bytes of one transaction. Whatever an event becomes in a snapshot, it then fits a frame there as well. */
export const TRANSACTION_BYTES_MAX = PAYLOAD_BYTES_MAX / 2
/** Bytes at which a writer of many small values closes a frame and begins the next. */
export const FRAME_BYTES_WANTED = 256 * 1024
/** Payload bytes that one write and sync of the ledger takes; what exceeds it waits for the next. */
export const BATCH_BYTES_MAX = 16 * 1024 * 1024
/** Bytes at which a segment is complete, and at which one without a successor (no file descriptor is left) ends the service. */
export const SEGMENT_BYTES_MAX = 64 * 1024 * 1024
export const SEGMENT_BYTES_LIMIT = 512 * 1024 * 1024
/** Bytes that are read at a time from a snapshot, whose length has no bound, and how many such pieces are allocated ahead. */
export const FRAME_WINDOW_BYTES = 4 * 1024 * 1024
export const FRAME_WINDOWS_AHEAD = 128
/** Bytes of a file that is read whole: a segment at its limit and a last batch, or the meter. */
export const WHOLE_FILE_BYTES_MAX = 1024 * 1024 * 1024
/** Complete segments kept although snapshots cover them: 4 GiB, for `ledger show` and for people. */
export const SEGMENTS_KEPT = 64
/** Snapshots kept: should the newest turn out to be damaged, the one before it is used. */
export const SNAPSHOTS_KEPT = 2
/** Files with the bytes of torn tails that are kept for inspection. */
export const TORN_KEPT = 16

/** Bytes of an index file that is fetched, and of the manifest that names it. */
export const INDEX_FILE_BYTES_MAX = 2 * 1024 ** 3
export const MANIFEST_BYTES_MAX = 64 * 1024
/** Time without a byte after which a fetch of a published index is given up until the next check. */
export const INDEX_STALL_MS = 15_000
/** Attempts of a first start that has no index yet. */
export const INDEX_FETCH_ATTEMPTS = 4
export const INDEX_CHECK_SECONDS_DEFAULT = 60

/** Bytes of an agent's request to `postrie mcp --http`, and the time that it may take to arrive. */
export const MCP_BODY_BYTES_MAX = 256 * 1024
export const MCP_REQUEST_MS_MAX = 30_000

/**
 * Requests of a server thread that wait until a node of a fleet has leased more: how long, how many, and the bytes of their
 * bodies. After that they get 503, and `Retry-After`.
 */
export const LEASE_WAIT_MS_MAX = 1000
export const LEASE_WAITING_MAX = 10_000
export const LEASE_WAITING_BYTES_MAX = 64 * 1024 * 1024
export const LEASE_RETRY_SECONDS = 1

/** Characters of a client's `X-Request-Id`. */
export const REQUEST_ID_CHARACTERS_MAX = 128

/** Memory of the request logs of all accounts, unless the setting says otherwise: 1.6 million requests. */
export const REQUEST_LOG_MB_DEFAULT = 64
export const REQUEST_LOG_MB_MAX = 1024
/** Blocks of a thread's request log, however small the setting is. */
export const REQUEST_LOG_BLOCKS_MIN = 64
/** Requests of an account that are shown. */
export const REQUESTS_SHOWN_MAX = 1000
/** How long an account may have the codes that it asks for kept in its request log. */
export const CODES_KEPT_MS_MAX = 24 * 3_600_000
/** Rows for errors by account and hour over all threads, and those of a thread however many there are. */
export const ERROR_ROWS_MAX = 262_144
export const ERROR_ROWS_PER_THREAD_MIN = 16_384
/** Hours of errors that are shown. */
export const ERROR_HOURS = 48
/** Traces a second that clients may ask for by `traceparent`, on one thread. */
export const TRACES_ASKED_PER_SECOND_MAX = 100
/** Identities that OPERATORS may name. */
export const OPERATORS_MAX = 100
/** Accounts on one page of the operator's list. */
export const ACCOUNTS_PER_PAGE_MAX = 50

/** Bounds of a fleet: of a node, of its database, and of what goes between the two. */

/** A node of a fleet and its database: between two exchanges while accounts are charged, while requests wait, and while nothing happens. */
export const FLEET_EXCHANGE_MS = 200
export const FLEET_RETRY_MS = 20
export const FLEET_HEARTBEAT_MS = 2000
/** How long an exchange waits for a row that another transaction holds, before it leaves the account out. */
export const FLEET_LOCK_MS = 100
/** An operator is notified of accounts that have been left out for so long. */
export const FLEET_LEFT_MS = 5000
/** Accounts, and reports of keys, of one exchange: it must be answered in time however many there are. */
export const EXCHANGE_ACCOUNTS_MAX = 1000
export const EXCHANGE_REPORTS_MAX = 2000
/** Between two looks at what other nodes have committed, in case that no notice came. */
export const FLEET_POLL_MS = 500
/** A node charges nothing any more when the database has not answered for so long: an hour before it may give up the node's leases. */
export const FLEET_SILENT_MS_MAX = 23 * 3_600_000
/** How long a node that stops goes on asking a database that is away, to return what it holds. */
export const FLEET_LEAVE_MS = 5000
/** Between two attempts to begin another epoch, after the node was given up. */
export const FLEET_REJOIN_MS = 500
/** Between two times that lines of the audit log go to the database and come from it; lines in one call, and that may wait. */
export const FLEET_AUDIT_MS = 1000
export const AUDIT_LINES_PER_CALL = 500
export const AUDIT_LINES_WAITING_MAX = 20_000
/** Rows of the dashboard in one call. */
export const DASHBOARD_ROWS_PER_CALL = 500
/** Days for which a fleet's database keeps lines of the audit log. */
export const FLEET_AUDIT_DAYS = 400
/** Times that a command is decided again because another node was faster. */
export const FLEET_COMMAND_ATTEMPTS = 50
/** How long a command that takes money waits for other nodes to return what they hold. */
export const FLEET_RECALL_MS = 2000
/** Clocks of a node and of its database that differ by more are reported. */
export const FLEET_CLOCKS_APART_MS = 5000
/** Between two descriptions of a node for `postrie fleet status`, and between two rounds of what any node does for the database. */
export const FLEET_DESCRIBE_MS = 5000
export const FLEET_UPKEEP_MS = 3_600_000

/** A fleet's node that the database has not heard of for this time does not count as live, and is shown as silent. */
export const NODE_LIVE_MS = 30_000
/** Silence after which what a node holds may be given up. The node itself has stopped charging an hour earlier. */
export const WRITE_OFF_MS = 24 * 3_600_000
export const WRITE_OFFS_SHOWN_MAX = 1000
/** A fleet's database: connections of a node besides the one that listens, and calls that may wait for one of them. */
export const DATABASE_CONNECTIONS = 4
export const DATABASE_CALLS_WAITING_MAX = 1000
/** How long a connection may take to open, and a call to be answered. */
export const DATABASE_CONNECT_MS_MAX = 3000
export const DATABASE_QUERY_MS_MAX = 5000
/** Keys or accounts of a start's settlement, or of a write-off, in one call. */
export const SETTLE_PART_MAX = 2000
/** Transactions and keys that one reading of a fleet's changes returns. */
export const CHANGES_EVENTS_MAX = 1000
export const CHANGES_KEYS_MAX = 20_000
/** Days whose usage a fleet's database keeps by the hour, and by the day; of a key without usage since, the last hour stays. */
export const FLEET_HOURLY_DAYS = 3
export const FLEET_DAILY_DAYS = 93
/** Slots whose hours are thinned out by one call. */
export const TIDY_SLOTS = 20_000

/** Events and keys in one call. */
export const MOVED_EVENTS_PER_CALL = 2000
export const MOVED_KEYS_PER_CALL = 500
/** How long one call, and the time between two, may be. */
export const MOVE_MS_MAX = 15 * 60_000
/** Silence after which a node that holds nothing is taken to have been stopped: several of its descriptions are missing. */
export const MOVE_SILENT_MS = 30_000

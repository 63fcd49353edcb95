/** Bounds of a fleet: of a node, of its database, and of what goes between the two. */
import { HOUR_MS, MINUTE_MS } from '../platform/time.ts'

/** Between two exchanges of a node: while accounts are charged, while requests wait, and while nothing happens. */
export const FLEET_EXCHANGE_MS = 200
export const FLEET_RETRY_MS = 20
export const FLEET_HEARTBEAT_MS = 2000
/** Time for which an exchange waits for a row that another transaction has locked. */
export const FLEET_LOCK_MS = 2000
/** Accounts, and reports of keys, of one exchange: it must be answered in time however many there are. */
export const EXCHANGE_ACCOUNTS_MAX = 1000
export const EXCHANGE_REPORTS_MAX = 2000
/** Between two looks at what other nodes have committed, in case that no notice came. */
export const FLEET_POLL_MS = 500
export const FLEET_AWAY_MS_MAX = 3000
/** Silence of the database after which a node charges nothing: an hour before its leases may be given up. */
export const FLEET_SILENT_MS_MAX = 23 * HOUR_MS
/** Time for which a node that stops asks a database that is away, to return what it holds. */
export const FLEET_LEAVE_MS = 5000
export const FLEET_START_AGAIN_MS = 1000
/** Time for which a start waits for the lock of its node, which a process that was killed may still have. */
export const FLEET_HOLD_MS = 15_000
/** Between two times that lines of the audit log go to the database and come from it; lines in one call, and that may wait. */
export const FLEET_AUDIT_MS = 1000
export const AUDIT_LINES_PER_CALL = 500
export const AUDIT_LINES_WAITING_MAX = 20_000
/** Days for which a fleet's database keeps lines of the audit log. */
export const FLEET_AUDIT_DAYS = 400
/** Times that a command is decided again because another node was faster. */
export const FLEET_COMMAND_ATTEMPTS = 50
/** Time for which a command that takes money waits for other nodes to return what they hold. */
export const FLEET_RECALL_MS = 2000
/** Clocks of a node and of its database that differ by more are reported. */
export const FLEET_CLOCKS_APART_MS = 5000
/** Between two descriptions of a node for `postrie fleet status`, and between two rounds of what any node does for the database. */
export const FLEET_DESCRIBE_MS = 5000
export const FLEET_UPKEEP_MS = HOUR_MS

/** A fleet's node that the database has not heard of for this time does not count as live, and is shown as silent. */
export const NODE_LIVE_MS = 30_000
/** Silence after which what a node holds may be given up. The node itself has stopped charging an hour earlier. */
export const WRITE_OFF_MS = 24 * HOUR_MS
export const WRITE_OFFS_SHOWN_MAX = 1000
/** Connections of a node to its database, besides the one that listens. */
export const DATABASE_CONNECTIONS = 4
/** Time in which a connection must open or become free, and a call be answered. */
export const DATABASE_CONNECT_MS_MAX = 3000
export const DATABASE_QUERY_MS_MAX = 5000
/** Keys or accounts of a start's settlement, or of a write-off, in one call. */
export const SETTLE_PART_MAX = 2000
/** Committed transactions that one read of changes returns at most. */
export const TRANSACTIONS_PER_READ_MAX = 1000
/** Days whose usage a fleet's database keeps by the hour, and by the day; of a key without usage since, the last hour stays. */
export const FLEET_HOURLY_DAYS = 3
export const FLEET_DAILY_DAYS = 93
/** Days before those that are looked at again, in case that no node has run. */
export const FLEET_TIDIED_DAYS = 7

export const MOVED_PER_CALL = 2000
export const MOVE_MS_MAX = 15 * MINUTE_MS

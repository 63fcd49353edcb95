/** Bounds of a node of a fleet, of its database, and of the calls between them. */
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts'

/** Time between exchanges of a node while accounts are charged. */
export const FLEET_EXCHANGE_MS = 200
/** Time between exchanges of a node while requests wait. */
export const FLEET_RETRY_MS = 20
/** Time between exchanges of an idle node. */
export const FLEET_HEARTBEAT_MS = 2000
/** Time that an exchange waits for a locked row. */
export const FLEET_LOCK_MS = 2000
/** Accounts in one exchange. */
export const EXCHANGE_ACCOUNTS_MAX = 1000
/** Reports of keys in one exchange. */
export const EXCHANGE_REPORTS_MAX = 2000
/** Time between reads of other nodes' commits, in case a notice was lost. */
export const FLEET_POLL_MS = 500
/** Silence after which the database counts as away. */
export const FLEET_AWAY_MS_MAX = 3000
/** Silence of the database after which a node charges nothing, an hour before WRITE_OFF_MS. */
export const FLEET_SILENT_MS_MAX = 23 * HOUR_MS
/** Time that a stopping node tries to return its leases while the database is away. */
export const FLEET_LEAVE_MS = 5000
/** Time between attempts of a start while the database is away. */
export const FLEET_START_AGAIN_MS = 1000
/** Time that a start waits for the lock of its node. A killed process may still have it. */
export const FLEET_HOLD_MS = 15_000
/** Time between transfers of the audit log's lines. */
export const FLEET_AUDIT_MS = 1000
/** Lines of the audit log in one call. */
export const AUDIT_LINES_PER_CALL = 500
/** Lines of the audit log that may wait for a transfer. */
export const AUDIT_LINES_WAITING_MAX = 20_000
/** Days that the database keeps lines of the audit log. */
export const FLEET_AUDIT_DAYS = 400
/** Attempts of a command that loses to commands of other nodes. */
export const FLEET_COMMAND_ATTEMPTS = 50
/** Time that a debiting command waits for other nodes to return their leases. */
export const FLEET_RECALL_MS = 2000
/** Difference between the clocks of a node and of the database that is reported. */
export const FLEET_CLOCKS_APART_MS = 5000
/** Time between descriptions of a node for `postrie fleet status`. */
export const FLEET_DESCRIBE_MS = 5000
/** Time between rounds of upkeep of the database, by any node. */
export const FLEET_UPKEEP_MS = HOUR_MS
/** Silence after which a node is shown as silent, not as live. */
export const NODE_LIVE_MS = 30_000
/** Silence after which a node's leases may be written off. */
export const WRITE_OFF_MS = 24 * HOUR_MS
/** Write-offs that the fleet's status shows. */
export const WRITE_OFFS_SHOWN_MAX = 1000
/** Connections of a node to its database, besides the listening one. */
export const DATABASE_CONNECTIONS = 4
/** Time in which a connection must open or become free. */
export const DATABASE_CONNECT_MS_MAX = 3000
/** Time in which a call must be answered. */
export const DATABASE_QUERY_MS_MAX = 5000
/** Keys or accounts in one call of a start's settlement or of a write-off. */
export const SETTLE_PART_MAX = 2000
/** Committed transactions that one read of changes returns. */
export const TRANSACTIONS_PER_READ_MAX = 1000
/** Days that the database keeps usage by the hour. */
export const FLEET_HOURLY_DAYS = 3
/** Days that the database keeps usage by the day. */
export const FLEET_DAILY_DAYS = 93
/** Rows in one call of the move of a ledger. */
export const MOVED_PER_CALL = 2000
/** Time in which one statement of the move of a ledger must end. */
export const MOVE_MS_MAX = 15 * MINUTE_MS

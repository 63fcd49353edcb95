/** Bounds of settings, of a start and of a stop. Each room has its own limits.ts. */
import { DAY_MS } from './time.ts'

/** Milliseconds between flushes. A power cut loses the charges of this time and of the sync in progress. */
export const FLUSH_MS_DEFAULT = 5
/** Default number of accounts that memory is reserved for. */
export const ACCOUNTS_MAX_DEFAULT = 1_000_000
/** Default number of keys that memory is reserved for, revoked ones included. */
export const KEYS_MAX_DEFAULT = 1_000_000
/** Largest value of either setting: the live state of both together has 3.4 GB of address space. */
export const SLOTS_SETTING_MAX = 2_000_000
/** Time in which replies in progress must finish when the server stops. */
export const SHUTDOWN_GRACE_MS = 3000
export const SESSION_MS_MAX = 30 * DAY_MS
/** Maximum number of server threads of a process. */
export const HTTP_THREADS_MAX = 64

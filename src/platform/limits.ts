/** Bounds of settings, of a start and of a stop. Each room has its own limits.ts. */

/** Milliseconds between flushes. A power cut loses the charges of this time and of the sync in progress. */
export const FLUSH_MS_DEFAULT = 5
/** Default number of accounts that memory is reserved for. */
export const ACCOUNTS_MAX_DEFAULT = 1_000_000
/** Default number of keys that memory is reserved for, revoked ones included. */
export const KEYS_MAX_DEFAULT = 1_000_000
/** Maximum of ACCOUNTS_MAX and of KEYS_MAX. With both, the live state has 3.4 GB of address space. */
export const SLOTS_SETTING_MAX = 2_000_000
/** Time in which replies in progress must finish when the server stops. */
export const SHUTDOWN_GRACE_MS = 3000
/** Maximum number of server threads of a process. */
export const HTTP_THREADS_MAX = 64

/** Bounds of a move between a ledger and a fleet. */

/** Events and keys in one call. */
export const MOVED_EVENTS_PER_CALL = 2000
export const MOVED_KEYS_PER_CALL = 500
/** How long one call, and the time between two, may be. */
export const MOVE_MS_MAX = 15 * 60_000
/** Silence after which a node that holds nothing is taken to have been stopped: several of its descriptions are missing. */
export const MOVE_SILENT_MS = 30_000

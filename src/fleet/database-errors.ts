import { StaleError } from '../accounts/account-store.ts'

export { StaleError }

/** Thrown when the node has been replaced by its next epoch, or its leases were given up: it must stop charging at once. */
export class FencedError extends Error {}
/** Thrown when a node was started from another copy of its folder, or runs there. */
export class CopiedFolderError extends Error {}
/** Thrown when the database does not answer in time. The same call may be made again. */
export class UnavailableError extends Error {}
/** Thrown when a transaction of somebody else holds a row that the call needs. Nothing was changed. */
export class LockedError extends UnavailableError {}
/** Thrown when the database refuses the call as a fault of the caller. Nothing was changed. */
export class RefusedError extends Error {}

/** SQLSTATEs of the functions in `sql/`, and of a wait for a lock that has taken longer than `lock_timeout`. */
const ERRORS: Readonly<Record<string, new (message: string, options: ErrorOptions) => Error>> = {
  PF001: FencedError,
  PF002: StaleError,
  PF005: CopiedFolderError,
  '55P03': LockedError,
}

/** Errors that pass: no connection or resources, a server that starts, stops or is a standby, a statement that took too long. */
const PASSING = /^(08|53|57|58|40|XX)|^(25006|25P03)$/

/** A function or table that the schema has: the statement has run in a session that was not set up for it. */
const UNDEFINED = ['42883', '42P01']
const POOLER =
  '. If ACCOUNTS leads to a pooler such as PgBouncer, that pools transactions: have it pool sessions, or name the server itself.'
const LOCKED =
  "Another transaction holds rows that this call needs. If it stays, find it by `select * from pg_stat_activity where state = 'idle in transaction'`, and end it: "

/** True if the role may not do what the statement does; a schema that it may not use looks to it as if there were none. */
export function isForbidden(error: unknown): boolean {
  return ['42501', '3F000'].includes(sqlState(error) ?? '')
}

/** Returns the error for callers. One without SQLSTATE comes from the socket or from a timer. */
export function storeError(error: unknown): Error {
  const state = sqlState(error)
  if (error instanceof UnavailableError) return error
  const message = error instanceof Error ? error.message || error.name : String(error)
  if (state === undefined || PASSING.test(state))
    return new UnavailableError(`PostgreSQL does not answer: ${message}`, { cause: error })
  const Known = ERRORS[state]
  if (Known !== undefined) return new Known(state === '55P03' ? LOCKED + message : message, { cause: error })
  const hint = UNDEFINED.includes(state) ? POOLER : ''
  return new RefusedError(`PostgreSQL refuses the call (${state}): ${message}${hint}`, { cause: error })
}

/** Codes of Node's sockets, such as `EPIPE`, also have five characters or so; only the server's errors have a severity. */
function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('severity' in error) || !('code' in error))
    return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** What a failed call to PostgreSQL means to its caller. */
import {
  FencedError,
  GivenUpError,
  LockedError,
  RefusedError,
  StaleError,
  UnavailableError,
} from './store.ts'

/** SQLSTATEs of the functions in `sql/`. */
const FENCED = 'PF001'
const STALE = 'PF002'
const GIVEN_UP = 'PF004'

/** A wait for a lock has taken longer than `lock_timeout`. */
const LOCKED = '55P03'

/** Two transactions got into each other's way, and one was undone: it succeeds when it is repeated. */
const REPEATABLE = ['40001', '40P01']

/**
 * Classes and codes of errors that pass: no connection, no resources, a server that starts, stops or is a standby, a statement
 * that took too long or was cancelled.
 */
const PASSING = /^(08|53|57|58|40|XX)|^(25006|25P03)$/

/** A function or table that the schema has: the statement has run in a session that was not set up for it. */
const UNDEFINED = ['42883', '42P01']
const POOLER =
  '. If ACCOUNTS leads to a pooler such as PgBouncer, that pools transactions: have it pool sessions, or name the server itself.'

/** Whether a repetition of the same call may succeed at once. */
export function isRepeatable(error: unknown): boolean {
  return REPEATABLE.includes(sqlState(error) ?? '')
}

/** Whether the connection can be used again: the server has refused a statement, and said so. */
export function leavesConnection(error: unknown): boolean {
  const state = sqlState(error)
  return state !== undefined && !/^(08|57P|25P03)/.test(state)
}

/** Whether the role may not do what the statement does; a schema that it may not use looks to it as if there were none. */
export function isForbidden(error: unknown): boolean {
  return ['42501', '3F000'].includes(sqlState(error) ?? '')
}

/** The error for callers of the store. An error without SQLSTATE comes from the socket or from a timer. */
export function storeError(error: unknown): Error {
  const state = sqlState(error)
  const message = error instanceof Error ? error.message || error.name : String(error)
  if (state === FENCED) return new FencedError(message, { cause: error })
  if (state === GIVEN_UP) return new GivenUpError(message, { cause: error })
  if (state === STALE) return new StaleError(message, { cause: error })
  if (state === LOCKED)
    return new LockedError(
      `Another transaction holds rows that this call needs: ${message}. If it stays, find it by \`select * from pg_stat_activity where state = 'idle in transaction'\`, and end it.`,
      { cause: error },
    )
  if (state !== undefined && !PASSING.test(state)) {
    const hint = UNDEFINED.includes(state) ? POOLER : ''
    return new RefusedError(`PostgreSQL refuses the call (${state}): ${message}${hint}`, { cause: error })
  }
  return new UnavailableError(`PostgreSQL does not answer: ${message}`, { cause: error })
}

/** Codes of Node's sockets, such as `EPIPE`, also have five characters or so; only the server's errors have a severity. */
function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('severity' in error) || !('code' in error))
    return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

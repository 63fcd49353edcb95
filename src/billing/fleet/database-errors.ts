import { StaleError } from '../accounts/account-store.ts'

/** Thrown when a newer epoch or a write-off replaced the node. The node must stop charging. */
export class FencedError extends Error {}
/** Thrown when another copy of the node's folder was started or still runs. */
export class CopiedFolderError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const remedy =
      'Two folders cannot count for one node. To run another node here, stop that one, run `postrie node recover` on this folder, ' +
      'move it away, and start with an empty one.'
    super(`this folder is a copy: ${message}. ${remedy}`, options)
  }
}
/** Thrown when the database does not answer, or a row is locked. The call may be repeated. */
export class UnavailableError extends Error {}
/** Thrown when the database refuses the call as faulty. Nothing was changed. */
export class RejectedError extends Error {}

/** SQLSTATEs of the functions in `sql/`, and of an expired `lock_timeout`. */
const ERROR_OF_STATE: Readonly<Record<string, new (message: string, options: ErrorOptions) => Error>> = {
  PF001: FencedError,
  PF002: StaleError,
  PF005: CopiedFolderError,
  '55P03': UnavailableError,
}

/** SQLSTATEs that may pass: lost connection, no resources, cancelled, shutdown, standby, internal error. */
const TRANSIENT = /^(08|53|57|58|40)|^(25006|25P03|XX000)$/

const POOLER_HINT =
  '. If ACCOUNTS names a pooler such as PgBouncer, let it pool sessions, or name the server itself.'
const LOCK_HINT =
  "Another transaction holds rows that this call needs. If this lasts, find it with `select * from pg_stat_activity where state = 'idle in transaction'`, and end it: "

/** True if the role lacks a privilege. PostgreSQL reports a schema without privilege as missing. */
export function isForbidden(error: unknown): boolean {
  return ['42501', '3F000'].includes(sqlState(error) ?? '')
}

/** Returns the error for callers. An error without SQLSTATE comes from the socket or from a timer. */
export function storeError(error: unknown): Error {
  if (error instanceof UnavailableError) return error
  const state = sqlState(error)
  const message = error instanceof Error ? error.message || error.name : String(error)
  if (state === undefined)
    return new UnavailableError(`PostgreSQL does not answer: ${message}`, { cause: error })
  if (TRANSIENT.test(state))
    return new UnavailableError(`PostgreSQL cannot do this now (${state}): ${message}`, { cause: error })
  const Known = ERROR_OF_STATE[state]
  if (Known !== undefined)
    return new Known(state === '55P03' ? LOCK_HINT + message : message, { cause: error })
  // A function or table is missing. Our schema has all, so a pooler switched the session.
  const hint = ['42883', '42P01'].includes(state) ? POOLER_HINT : ''
  return new RejectedError(`PostgreSQL refuses the call (${state}): ${message}${hint}`, { cause: error })
}

/** Returns the SQLSTATE. Socket errors such as `EPIPE` have a `code` too, but no severity. */
function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('severity' in error) || !('code' in error))
    return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

import { OperatorError, type OperatorErrorCode } from '../control/operator/operator-error.ts'
import { EnvError } from '../settings/setting.ts'

export const EXIT = { ok: 0, failed: 1, usage: 2, torn: 3, damaged: 4, busy: 5, unavailable: 6 } as const

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failed: 'failed or refused',
  usage: 'wrong usage or settings',
  torn: "the ledger's tail is torn",
  damaged: 'the ledger is damaged',
  busy: 'another process holds the data folder',
  unavailable: 'the disk is full, the server cannot write, or the connection to the server broke',
}

const OPERATOR_EXIT: Record<OperatorErrorCode, number> = {
  refused: EXIT.failed,
  not_found: EXIT.failed,
  invalid: EXIT.usage,
  damaged: EXIT.damaged,
  busy: EXIT.busy,
  unavailable: EXIT.unavailable,
  internal: EXIT.failed,
}

/** Thrown for wrong usage that the parser of the command line cannot detect. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Returns the exit code of a failure. A full disk anywhere in the chain of causes is `unavailable`. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof OperatorError) return OPERATOR_EXIT[error.code]
  if (error instanceof EnvError || error instanceof UsageError) return EXIT.usage
  const { code = '', cause } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  if (code === 'ENOSPC' || code === 'EDQUOT') return EXIT.unavailable
  return cause === undefined ? EXIT.failed : exitCodeOf(cause)
}

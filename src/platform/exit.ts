/** Exit codes of commands, and the report of a failure. */
import { errorText } from './terminal.ts'

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  torn: 3,
  damaged: 4,
  busy: 5,
  unavailable: 6,
  interrupted: 130,
} as const

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failed: 'failed or refused',
  usage: 'wrong usage or settings',
  torn: "the ledger's tail is torn",
  damaged: 'the ledger is damaged',
  busy: 'another process holds the data folder',
  unavailable: 'the disk is full, the server cannot write, or the connection to the server broke',
  interrupted: 'interrupted by Ctrl-C',
}

/** Thrown for wrong usage that the parser of the command line cannot detect. */
export class UsageError extends Error {
  override name = 'UsageError'
  readonly exitCode = EXIT.usage
}

/** Prints a failure on stderr. Returns its exit code, the highest one of several failures. */
export function reportFailure(error: unknown): number {
  if (error instanceof AggregateError) return Math.max(...error.errors.map(reportFailure))
  const failure = error instanceof Error ? error : new Error(String(error))
  console.error(process.env.LOG_LEVEL === 'debug' ? failure.stack : `postrie: ${errorText(failure)}`)
  return exitCodeOf(failure)
}

/** Returns the `exitCode` of the error or of a cause; `unavailable` for a full disk. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof Error)) return EXIT.failed
  const { code = '', cause, exitCode } = error as NodeJS.ErrnoException & { exitCode?: number }
  if (exitCode !== undefined) return exitCode
  if (code === 'ENOSPC' || code === 'EDQUOT') return EXIT.unavailable
  return exitCodeOf(cause)
}

/** Ends the process after standard output failed. A closed pipe (`| head`) is no failure. */
export function exitAfterOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.ok)
  console.error(`postrie: standard output cannot be written: ${error.message}`)
  process.exit(exitCodeOf(error))
}

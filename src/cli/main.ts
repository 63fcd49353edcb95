/** Runs one command and turns whatever happens into an exit code; errors go to stderr. */
import { CommanderError } from 'commander'
import { OPERATOR_ERRORS, OperatorError } from '../control/operator/operator-error.ts'
import { EnvError } from '../settings/env.ts'
import { EXIT } from './exit.ts'
import { createProgram } from './program.ts'

/** The exit code of `argv`. A command may set another one by itself through `process.exitCode`. */
export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', endQuietly)
  try {
    await createProgram().parseAsync(argv)
    return Number(process.exitCode ?? EXIT.ok)
  } catch (error) {
    return report(error)
  }
}

/** `postrie ledger show | head` is no failure: the reader has seen enough. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(EXIT.ok)
}

function report(error: unknown): number {
  // commander has already printed its help or its complaint.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  if (error instanceof OperatorError) {
    console.error(`postrie: ${error.message}`)
    return OPERATOR_ERRORS[error.code][1]
  }
  if (error instanceof EnvError) {
    console.error(`postrie: ${error.message}`)
    return EXIT.usage
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  console.error(process.env.LOG_LEVEL === 'debug' ? stack : `postrie: ${message}`)
  return EXIT.failed
}

/** Runs one command and turns whatever happens into an exit code; errors go to stderr. */
import { type Command, CommanderError } from 'commander'
import { OperatorError } from '../control/operator/operator-error.ts'
import { EnvError } from '../settings/env.ts'
import { EXIT, OPERATOR_EXIT } from './exit.ts'
import { createServeProgram } from './program-base.ts'
import { UsageError } from './usage-error.ts'

/** The exit code of `argv`. A command may set another one by itself through `process.exitCode`. */
export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', endUnread)
  // What cannot be reported must not hide what is being done.
  process.stderr.on('error', () => {})
  try {
    const program = await programFor(argv)
    await program.parseAsync(argv)
    return Number(process.exitCode ?? EXIT.ok)
  } catch (error) {
    return report(error)
  }
}

/** A server answers its first request sooner without the code of all other commands. */
async function programFor(argv: readonly string[]): Promise<Command> {
  if (argv[2] === 'serve') return createServeProgram()
  const { createProgram } = await import('./program.ts')
  return createProgram()
}

/** `postrie ledger show | head` is not a failure: the reader has seen enough. A full disk is one. */
function endUnread({ code, message }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') console.error(`postrie: standard output cannot be written: ${message}`)
  process.exit(code === 'EPIPE' ? EXIT.ok : EXIT.failed)
}

function report(error: unknown): number {
  // commander has already printed its help or its complaint.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  if (error instanceof OperatorError) {
    console.error(`postrie: ${error.message}`)
    return OPERATOR_EXIT[error.code]
  }
  if (error instanceof EnvError || error instanceof UsageError) {
    console.error(`postrie: ${error.message}`)
    return EXIT.usage
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  console.error(process.env.LOG_LEVEL === 'debug' ? stack : `postrie: ${message}`)
  return EXIT.failed
}

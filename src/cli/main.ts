/** Runs one command and turns whatever happens into an exit code; errors go to stderr. */
import { OperatorError } from '../control/operator/operator-error.ts'
import { EnvError } from '../settings/env.ts'
import { EXIT, OPERATOR_EXIT } from './exit.ts'
import { endUnread } from './output.ts'
import { errorText } from './system-error.ts'
import { UsageError } from './usage-error.ts'

/** The exit code of `argv`. */
export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', endUnread)
  // What cannot be reported must not hide what is being done.
  process.stderr.on('error', () => {})
  try {
    return await run(argv)
  } catch (error) {
    return report(error)
  }
}

/** A server answers its first request sooner without the code of the other commands and of their parser. */
async function run(argv: readonly string[]): Promise<number> {
  if (argv.length === 3 && argv[2] === 'serve') {
    const { serve } = await import('./serve.ts')
    return serve(process.env, false)
  }
  const { runProgram } = await import('./program.ts')
  return runProgram(argv)
}

function report(error: unknown): number {
  if (error instanceof OperatorError) {
    console.error(`postrie: ${error.message}`)
    return OPERATOR_EXIT[error.code]
  }
  if (error instanceof EnvError || error instanceof UsageError) {
    console.error(`postrie: ${error.message}`)
    return EXIT.usage
  }
  const failure = error instanceof Error ? error : new Error(String(error))
  console.error(process.env.LOG_LEVEL === 'debug' ? failure.stack : `postrie: ${errorText(failure)}`)
  return EXIT.failed
}

/** Runs one command and returns its exit code. Errors go to stderr. */
import { exitAfterOutputError, reportFailure } from '../../platform/exit.ts'

export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', exitAfterOutputError)
  // An unwritable stderr must not end the command.
  process.stderr.on('error', () => {})
  try {
    return await run(argv)
  } catch (error) {
    return reportFailure(error)
  }
}

/** Runs the command. `serve` starts faster without the code of the parser and of other commands. */
async function run(argv: readonly string[]): Promise<number> {
  if (argv.length === 3 && argv[2] === 'serve') {
    const { serve } = await import('./serve.ts')
    return serve(process.env, false)
  }
  const { runProgram } = await import('./program.ts')
  return runProgram(argv)
}

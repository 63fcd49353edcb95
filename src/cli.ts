#!/usr/bin/env node
/** Runs one command. Errors go to stderr. */
import { exitAfterOutputError, reportFailure } from './platform/exit.ts'

process.stdout.on('error', exitAfterOutputError)
// An unwritable stderr must not end the command.
process.stderr.on('error', () => {})
process.exitCode = await run(process.argv).catch(reportFailure)

/** Runs the command. `serve` starts faster without the code of the parser and of other commands. */
async function run(argv: readonly string[]): Promise<number> {
  if (argv.length === 3 && argv[2] === 'serve') {
    const { serve } = await import('./programs/cli/serve.ts')
    return serve(false)
  }
  const { runProgram } = await import('./programs/cli/program.ts')
  return runProgram(argv)
}

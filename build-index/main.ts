#!/usr/bin/env node
/** The builder's own command line. `postrie build` and its relatives run it as a process of its own. */
import { Command, CommanderError } from 'commander'
import { addBuildCommand } from './commands/build.ts'
import { addCoverageCommand } from './commands/coverage.ts'
import { addDiffCommand } from './commands/diff.ts'
import { addVerifyCommand } from './commands/verify-index.ts'

const program = new Command('postrie')
  .exitOverride()
  .showHelpAfterError('(add --help for usage and an example)')
addBuildCommand(program)
addCoverageCommand(program)
addVerifyCommand(program)
addDiffCommand(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    console.error(process.env.LOG_LEVEL === 'debug' ? stack : `postrie: ${message}`)
    process.exitCode = 1
  }
}

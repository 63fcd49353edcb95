#!/usr/bin/env node
/** Command line of the builder. `postrie build` and its relatives run it as a child process. */
import { Command, CommanderError } from 'commander'
import { EXIT, exitAfterOutputError, reportFailure } from '../src/platform/exit.ts'
import { addCoverageCommand } from './commands/coverage.ts'
import { addDiffCommand } from './commands/diff.ts'
import { addVerifyIndexCommand } from './commands/verify-index.ts'

process.stdout.on('error', exitAfterOutputError)
// A killed parent must not leave a build running.
if (process.connected === false) process.exit(1)
process.once('disconnect', () => process.exit(1))
process.channel?.unref()

const program = new Command('postrie')
  .exitOverride()
  .showHelpAfterError('(add --help for usage and an example)')
addCoverageCommand(program)
addVerifyIndexCommand(program)
addDiffCommand(program)
// The data packages of `build` are missing where an index is only served.
if (!program.commands.some(command => command.name() === process.argv[2])) {
  const { addBuildCommand } = await import('./commands/build.ts')
  addBuildCommand(program)
}

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage
  else {
    const code = reportFailure(error)
    process.exitCode ??= code
  }
}

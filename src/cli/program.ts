/** The tree of commands, one file per group, and how one of them is run. */
import { Command, CommanderError } from 'commander'
import { packageVersion } from '../platform/package-version.ts'
import { addAccountCommands } from './account.ts'
import { addBackupCommands } from './backup.ts'
import { addCheckCommand } from './check.ts'
import { addCodeCommands } from './codes.ts'
import { EXIT, exitCodesText } from './exit.ts'
import { addFleetCommands } from './fleet.ts'
import { addIndexCommands } from './index-commands.ts'
import { addKeyCommands } from './key.ts'
import { addLedgerCommands } from './ledger.ts'
import { addLicencesCommand } from './licences.ts'
import { addMcpCommand } from './mcp.ts'
import { addMigrateCommands } from './migrate.ts'
import { addNearCommands } from './near.ts'
import { addPublishCommand } from './publish.ts'
import { addReloadCommand } from './reload.ts'
import { addServeCommand } from './serve-command.ts'

const EPILOGUE = `
Settings come from the environment: HOST, PORT, CONTROL_PORT, DATA_DIR, INDEX_FILE, LOG_LEVEL and more.
Account and key commands and 'backup' work while the server runs (through its socket in DATA_DIR) and while it does not.

Exit codes:
${exitCodesText()}

Example:
  $ postrie serve
  $ postrie account create ada@example.com --json`

/**
 * Runs the command that `argv` names. A command may set an exit code by itself through `process.exitCode`.
 * @returns the exit code
 * @throws what the command throws; what is wrong with `argv` has been printed instead
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv)
    return Number(process.exitCode ?? EXIT.ok)
  } catch (error) {
    // commander has already printed its help or its complaint.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    throw error
  }
}

/** A fresh program: tests and `runProgram` each take their own, since commander keeps state in it. */
export function createProgram(): Command {
  const program = new Command('postrie')
    .description('A self-hosted postal code service.')
    .version(packageVersion())
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(add --help for usage and an example)')
    .enablePositionalOptions()
    .exitOverride()
  addServeCommand(program)
  addReloadCommand(program)
  addPublishCommand(program)
  addCodeCommands(program)
  addNearCommands(program)
  addCheckCommand(program)
  addMcpCommand(program)
  addIndexCommands(program)
  addAccountCommands(program)
  addKeyCommands(program)
  addLedgerCommands(program)
  addBackupCommands(program)
  addFleetCommands(program)
  addMigrateCommands(program)
  addLicencesCommand(program)
  return program
}

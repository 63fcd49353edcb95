/** The program with the one command that has to be fast: `serve`. */
import { Command } from 'commander'
import { exitCodesText } from './exit.ts'
import { packageVersion } from '../platform/package-version.ts'
import { addServeCommand } from './serve.ts'

const EPILOGUE = `
Settings come from the environment: HOST, PORT, CONTROL_PORT, DATA_DIR, INDEX_FILE, LOG_LEVEL and more.
Account and key commands and 'backup' work while the server runs (through its socket in DATA_DIR) and while it does not.

Exit codes:
${exitCodesText()}

Example:
  $ postrie serve
  $ postrie account create ada@example.com --json`

export function createServeProgram(): Command {
  const program = new Command('postrie')
    .description('A self-hosted postal code service.')
    .version(packageVersion())
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(add --help for usage and an example)')
    .enablePositionalOptions()
    .exitOverride()
  addServeCommand(program)
  return program
}

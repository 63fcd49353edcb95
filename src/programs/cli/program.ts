/** The tree of commands, one file per group. */
import { Command, CommanderError } from 'commander'
import { EXIT, EXIT_MEANINGS } from '../../platform/exit.ts'
import { packageVersion } from '../../platform/package-version.ts'
import { BUILDER_COMMANDS } from '../builder-commands.ts'

const EPILOGUE = `
Settings come from the environment: HOST, PORT, CONTROL_PORT, DATA_DIR, INDEX_FILE, LOG_LEVEL and more.
Account and key commands and 'backup' also work while the server runs, through its socket in DATA_DIR.

Exit codes:
${Object.entries(EXIT)
  .map(([name, code]) => `  ${code}  ${EXIT_MEANINGS[name as keyof typeof EXIT]}`)
  .join('\n')}

Example:
  $ postrie serve
  $ postrie account create ada@example.com --json`

/** Runs the command that `argv` names and returns the exit code. @throws what the command throws */
export async function runProgram(argv: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(argv[2])
    await program.parseAsync(argv)
    return Number(process.exitCode ?? EXIT.ok)
  } catch (error) {
    // commander has already printed its help or its complaint.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    throw error
  }
}

interface Group {
  addCommands(program: Command): void
}

/** Groups of commands by their names. Only the group of the given command is loaded, for a fast start. */
const GROUPS: Readonly<Record<string, () => Promise<Group>>> = {
  serve: () => import('./serve.ts'),
  reload: () => import('./reload.ts'),
  publish: () => import('./publish-command.ts'),
  'lookup validate verify city nearest suggest': () => import('./questions.ts'),
  check: () => import('./check-command.ts'),
  mcp: () => import('./mcp.ts'),
  [Object.keys(BUILDER_COMMANDS).join(' ')]: () => import('./builder.ts'),
  'account key token': () => import('./operator-commands.ts'),
  'ledger backup restore': () => import('./ledger-commands.ts'),
  'fleet node migrate': () => import('./fleet-commands.ts'),
  licences: () => import('./licences.ts'),
}

/** Creates a program with the group of command `name`, or else all groups. commander keeps state in it. */
export async function createProgram(name?: string): Promise<Command> {
  const program = new Command('postrie')
    .description('A self-hosted postal code service.')
    .version(packageVersion())
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(add --help for usage and an example)')
    .enablePositionalOptions()
    .exitOverride()
  const groups = Object.entries(GROUPS)
  const wanted = groups.filter(([names]) => names.split(' ').includes(name ?? ''))
  for (const [, load] of wanted.length > 0 ? wanted : groups) (await load()).addCommands(program)
  return program
}

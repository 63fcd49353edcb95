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

type Add = (program: Command) => void

/** Groups of commands by name. Only the group of the given command is loaded, for a fast start. */
const GROUPS: readonly { names: string; load(): Promise<Add> }[] = [
  { names: 'serve', load: async () => (await import('./serve.ts')).addServeCommand },
  { names: 'reload', load: async () => (await import('./reload.ts')).addReloadCommand },
  { names: 'publish', load: async () => (await import('./publish-command.ts')).addPublishCommand },
  {
    names: 'lookup validate verify city nearest suggest',
    load: async () => (await import('./questions.ts')).addQuestionCommands,
  },
  { names: 'check', load: async () => (await import('./check-command.ts')).addCheckCommand },
  { names: 'mcp', load: async () => (await import('./mcp.ts')).addMcpCommand },
  {
    names: Object.keys(BUILDER_COMMANDS).join(' '),
    load: async () => (await import('./builder.ts')).addIndexCommands,
  },
  {
    names: 'account key token',
    load: async () => (await import('./operator-commands.ts')).addOperatorCommands,
  },
  {
    names: 'ledger backup restore',
    load: async () => (await import('./ledger-commands.ts')).addLedgerCommands,
  },
  { names: 'fleet node migrate', load: async () => (await import('./fleet-commands.ts')).addFleetCommands },
  { names: 'licences', load: async () => (await import('./licences.ts')).addLicencesCommand },
]

/** Creates a program with the group of command `name`, or else all groups. commander keeps state in it. */
export async function createProgram(name?: string): Promise<Command> {
  const program = new Command('postrie')
    .description('A self-hosted postal code service.')
    .version(packageVersion())
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(add --help for usage and an example)')
    .enablePositionalOptions()
    .exitOverride()
  const wanted = GROUPS.filter(({ names }) => names.split(' ').includes(name ?? ''))
  for (const { load } of wanted.length > 0 ? wanted : GROUPS) (await load())(program)
  return program
}

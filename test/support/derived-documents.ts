/** Derives parts of docs/ from tables. `node dist/test/support/derived-documents.js` writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { PROVIDER_SETTINGS, SETTINGS } from '../../src/platform/settings/settings.ts'
import { BUILDER_COMMANDS } from '../../src/programs/builder-commands.ts'
import { createProgram } from '../../src/programs/cli/program.ts'

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url))
const BEGIN = '<!-- derived: node dist/test/support/derived-documents.js -->\n'
/** Maximum number of options in a row. Further options become `[options]`. */
const OPTIONS_MAX = 8

/** Makes the derived part of each page, after the line BEGIN. */
export const DERIVED: Readonly<Record<string, () => Promise<string> | string>> = {
  'commands.md': commandsText,
  'settings.md': settingsText,
}

export async function derived(page: string): Promise<string> {
  const [byHand] = readFileSync(`${DOCS}${page}`, 'utf8').split(BEGIN)
  return `${byHand}${BEGIN}\n${(await DERIVED[page]()).trim()}\n`
}

async function commandsText(): Promise<string> {
  const program = await createProgram()
  const groups = program.commands.map(command =>
    leaves(command)
      .map(leaf => row(leaf))
      .join('\n'),
  )
  return ['| command | does |', '|---|---|', ...groups].join('\n')
}

function leaves(command: Command, path = ''): { path: string; command: Command }[] {
  const own = `${path}${command.name()}`
  if (command.commands.length === 0) return [{ path: own, command }]
  return command.commands.flatMap(each => leaves(each, `${own} `))
}

function row({ path, command }: { path: string; command: Command }): string {
  // `--help` explains the arguments of the builder's commands.
  const args = Object.hasOwn(BUILDER_COMMANDS, path)
    ? ['…']
    : command.registeredArguments.map(arg => (arg.required ? `<${arg.name()}>` : `[${arg.name()}]`))
  const flags = command.options
    .filter(({ hidden, long }) => !hidden && long !== '--json')
    .map(({ flags, mandatory }) => (mandatory ? flags : `[${flags}]`))
  const options = flags.length > OPTIONS_MAX ? ['[options]'] : flags
  const usage = [path, ...args, ...options].join(' ')
  return `| \`${usage}\` | ${command.description()} |`
}

function settingsText(): string {
  const rows = Object.entries({ ...SETTINGS, ...providers() }).map(
    ([name, { fallback, shownFallback, meaning, page, risk = '' }]) => {
      const variable = page === undefined ? `\`${name}\`` : `[\`${name}\`](${page})`
      const shown = shownFallback ?? (fallback === '' ? '' : `\`${fallback}\``)
      return `| ${variable} | ${shown} | ${`${meaning} ${risk}`.trim().replaceAll('<', '\\<')} |`
    },
  )
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n')
}

function providers() {
  return Object.fromEntries(
    Object.entries(PROVIDER_SETTINGS).map(([name, setting]) => [`OIDC_<NAME>_${name}`, setting]),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const page of Object.keys(DERIVED)) writeFileSync(`${DOCS}${page}`, await derived(page))

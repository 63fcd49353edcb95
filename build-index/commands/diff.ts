import { type Command, InvalidArgumentError } from 'commander'
import { bold } from '../../src/platform/terminal.ts'
import { table } from '../../src/platform/text-table.ts'
import { BUILDER_COMMANDS } from '../../src/programs/builder-commands.ts'
import { type CountryDifference, compareIndexes, MOVED_KM } from '../check/compare.ts'
import { existingIndex } from './existing-index.ts'

const HELP = `
moved: the position was lost, gained, or changed by more than ${MOVED_KM} km.
renamed: the place has another name.
changed: another area, time zone, elevation, accuracy, kind or written form.
City search and other names are not compared.
Exit code: 0 no difference, 1 differences, 2 an index cannot be read.

Example:
  $ postrie diff data/index.postrie new.postrie --json | jq '.[] | select(.country == "PT").removed'`

export function addDiffCommand(program: Command): void {
  program
    .command('diff')
    .description(BUILDER_COMMANDS.diff)
    .argument('<before>', 'index file')
    .argument('<after>', 'index file')
    .option('--limit <n>', 'maximum number of listed codes per country and kind', parseLimit, 5)
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action((before: string, after: string, { limit, json }: { limit: number; json?: boolean }) => {
      // For an index that cannot be read, since 1 means differences.
      process.exitCode = 2
      const differences = compareIndexes(existingIndex(before), existingIndex(after), limit)
      process.stdout.write(`${json === true ? JSON.stringify(differences) : differenceText(differences)}\n`)
      process.exitCode = differences.length > 0 ? 1 : 0
    })
}

function parseLimit(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number')
  return Number(text)
}

const DIFFERENCES = ['added', 'removed', 'moved', 'renamed', 'changed'] as const

function differenceText(differences: readonly CountryDifference[]): string {
  if (differences.length === 0)
    return `No code was added, removed, moved by more than ${MOVED_KM} km, renamed or changed.`
  const rows = differences.map(({ country, counts }) => [
    country,
    ...DIFFERENCES.map(kind => counts[kind].toLocaleString('en-US')),
  ])
  const lists = differences.flatMap(difference =>
    DIFFERENCES.flatMap(kind =>
      difference[kind].map(entry =>
        typeof entry === 'string'
          ? `${difference.country} ${entry}  ${kind}`
          : `${difference.country} ${entry.code}  ${kind} from ${entry.before} to ${entry.after}`,
      ),
    ),
  )
  const heads = ['country', ...DIFFERENCES.map(kind => `>${kind}`)]
  return [table(heads, rows), ...(lists.length > 0 ? ['', bold('Examples'), ...lists] : [])].join('\n')
}

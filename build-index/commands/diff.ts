import { type Command, InvalidArgumentError } from 'commander'
import { table } from '../../src/platform/table.ts'
import { bold } from '../../src/platform/terminal.ts'
import { type CountryDifference, compareIndexes, MOVED_KM } from '../check/compare.ts'
import { existingIndex } from './existing-index.ts'

const HELP = `
A code has moved when its position changed by more than ${MOVED_KM} km, was renamed when its place has another name, and changed
when its area, time zone, elevation or written form differs. City search and other names are not compared.
Exit code 0 when the two are the same in all of this, 1 when they differ, 2 when one cannot be read.

Example:
  $ postrie diff data/index.postrie new.postrie --json | jq '.[] | select(.country == "PT").removed'`

export function addDiffCommand(program: Command): void {
  program
    .command('diff')
    .description('compare two index files: codes added, removed, moved, renamed, changed')
    .argument('<before>', 'index file')
    .argument('<after>', 'index file')
    .option('--limit <n>', 'most entries to list of each kind and country', whole, 5)
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action((before: string, after: string, { limit, json }: { limit: number; json?: boolean }) => {
      const differences = readingOr2(() => compareIndexes(existingIndex(before), existingIndex(after), limit))
      if (differences === null) return
      process.stdout.write(`${json === true ? JSON.stringify(differences) : differenceText(differences)}\n`)
      if (differences.length > 0) process.exitCode = 1
    })
}

/** Exit code 1 means differences. */
function readingOr2<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    console.error(`postrie: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 2
    return null
  }
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number')
  return Number(text)
}

const KINDS = ['added', 'removed', 'moved', 'renamed', 'changed'] as const

function differenceText(differences: readonly CountryDifference[]): string {
  if (differences.length === 0)
    return `No code was added, removed, moved by more than ${MOVED_KM} km, renamed or changed.`
  const rows = differences.map(({ country, counts }) => [
    country,
    ...KINDS.map(kind => counts[kind].toLocaleString('en-US')),
  ])
  const lists = differences.flatMap(difference =>
    KINDS.flatMap(kind =>
      difference[kind].map(entry =>
        typeof entry === 'string'
          ? `${difference.country} ${entry}  ${kind}`
          : `${difference.country} ${entry.code}  ${kind} from ${entry.before} to ${entry.after}`,
      ),
    ),
  )
  const heads = ['country', ...KINDS.map(kind => `>${kind}`)]
  return [table(heads, rows), ...(lists.length > 0 ? ['', bold('Examples'), ...lists] : [])].join('\n')
}

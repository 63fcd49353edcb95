/** `postrie diff`. */
import { type Command, InvalidArgumentError } from 'commander'
import { bold, table } from '../../src/cli/output.ts'
import { type CountryDifference, compareIndexes, MOVED_KM } from '../compare.ts'

const HELP = `
A code has moved when its position changed by more than ${MOVED_KM} km, and was renamed when its place has another name.
Exit code 0 when the two hold the same, 1 when they differ.

Example:
  $ postrie diff data/index.postrie new.postrie --json | jq '.[] | select(.country == "PT").removed'`

export function addDiffCommand(program: Command): void {
  program
    .command('diff')
    .description('compare two index files: codes added, removed, moved, renamed')
    .argument('<before>', 'index file')
    .argument('<after>', 'index file')
    .option('--limit <n>', 'most entries to list of each kind and country', whole, 5)
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action((before: string, after: string, { limit, json }: { limit: number; json?: boolean }) => {
      const differences = compareIndexes(before, after, limit)
      process.stdout.write(`${json === true ? JSON.stringify(differences) : differenceText(differences)}\n`)
      if (differences.length > 0) process.exitCode = 1
    })
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number')
  return Number(text)
}

export function differenceText(differences: readonly CountryDifference[]): string {
  if (differences.length === 0) return 'The two indexes hold the same codes, places and positions.'
  const rows = differences.map(({ country, counts }) => [
    country,
    ...[counts.added, counts.removed, counts.moved, counts.renamed].map(count =>
      count.toLocaleString('en-US'),
    ),
  ])
  const lists = differences.flatMap(({ country, added, removed, moved, renamed }) => [
    ...added.map(code => `${country} ${code}  added`),
    ...removed.map(code => `${country} ${code}  removed`),
    ...moved.map(({ code, before, after }) => `${country} ${code}  moved from ${before} to ${after}`),
    ...renamed.map(({ code, before, after }) => `${country} ${code}  renamed from ${before} to ${after}`),
  ])
  const heads = ['country', '>added', '>removed', '>moved', '>renamed']
  return [table(heads, rows), ...(lists.length > 0 ? ['', bold('Examples'), ...lists] : [])].join('\n')
}

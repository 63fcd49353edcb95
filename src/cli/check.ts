import { availableParallelism } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CheckerOptions, CheckReport } from '../pipeline/check.ts'
import { type Counts, type Summary, summaryOf } from '../pipeline/counts.ts'
import { type CheckRequest, type Format, PLACE_FIELDS, type PlaceField } from '../pipeline/plan.ts'
import { table } from '../platform/table.ts'
import { showProgress, visible } from '../platform/terminal.ts'
import { clientOf, countryOf, indexAtHand, REMOTE_OPTION } from './code-source.ts'
import { addCommand, type JsonFlag, print } from './command.ts'
import { EXIT, UsageError } from './exit.ts'

const HELP = `
Each record is written with the columns valid, normalized, reason (not_found, invalid_format, unknown_country) and detail after its
own. Columns are found by their names (zip, Billing Postcode, PLZ …; country, country_code …), or named; countries are two letters,
three, or names (US, USA, Deutschland). With --verify, cityVerdict, rightCity, stateVerdict and rightState follow. Files that end in
.gz are unpacked. An interrupted check of a file goes on with --resume. The exit code is 0 whatever the results are.
`
const FORMATS: readonly Format[] = ['csv', 'ndjson']
const INPUT_FORMATS = [...FORMATS, 'json'] as const
const FROM_OPTION = new Option(
  '--from <format>',
  'format of the input; by default by its name or first character',
)
const TO_OPTION = new Option('--to <format>', 'format of the results; by default that of the input')
const FORMAT_OF_NAME = /\.([a-z]+)(\.gz)?$/i
const FORMATS_OF_NAMES: Readonly<Record<string, CheckRequest['from']>> = {
  csv: 'csv',
  tsv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
}
const THREADS_MAX = 64
const SHOW_MS = 200

interface CheckFlags extends JsonFlag, Partial<CheckRequest> {
  output?: string
  encoding?: string
  workers: number
  resume?: true
  overwrite?: true
  summary?: true
  remote?: string
}

export function addCheckCommand(program: Command): void {
  addCommand(
    program,
    'check <file>',
    'check the postal codes of a CSV, NDJSON or JSON file; - is standard input',
    'postrie check customers.csv --country US -o checked.csv --summary',
    HELP,
  )
    .option('-o, --output <file>', 'write the results here instead of to standard output')
    .option('--code <column>', 'column of the postal code')
    .option('--country-column <column>', 'column of the country')
    .option('--country <code>', 'country of records that do not name one', countryOf)
    .option('--verify', 'compare city and state with the code, in columns with usual names')
    .option('--city <column>', 'column of the city, to compare')
    .option('--state <column>', 'column of the state, to compare')
    .addOption(FROM_OPTION.choices(INPUT_FORMATS))
    .addOption(TO_OPTION.choices(FORMATS))
    .option(
      '--delimiter <character>',
      'between the fields of CSV; by default found in the header',
      delimiterOf,
    )
    .option('--encoding <name>', 'of the input when it is not UTF-8, such as windows-1252')
    .option('--fields <names>', `add fields of the place: ${PLACE_FIELDS.join(',')}`, fieldsOf)
    .option('--prefix <text>', 'before the names of the added columns', '')
    .option('--pad-digits', 'codes of digits alone have lost zeros at their beginning')
    .option('--ragged', 'take records with fewer fields than the header')
    .option('--workers <n>', 'threads', threadsOf, availableParallelism())
    .option('--resume', 'go on with an interrupted check of the same file into the same output')
    .option('--overwrite', 'replace an output that is there')
    .option('--summary', 'print counts, and the most frequent wrong codes; without --output, only these')
    .addOption(REMOTE_OPTION)
    .action(check)
}

async function check(file: string, flags: CheckFlags): Promise<void> {
  const { summary, json, resume, overwrite, remote, workers, encoding, padDigits } = flags
  const output = flags.output ?? (summary === true ? undefined : '-')
  if (resume === true && (file === '-' || output === undefined || output === '-'))
    throw new UsageError('--resume needs an input file and --output: what has gone through a pipe is gone')
  if (summary === true && output === '-')
    throw new UsageError('--summary and the results cannot both go to standard output: name another --output')
  if (output?.endsWith('.gz') === true)
    throw new UsageError('--output is not packed: name a file without .gz, or pipe the results to gzip')
  if (padDigits === true && remote !== undefined)
    throw new UsageError(
      '--pad-digits needs an index at hand, without --remote: a service takes the codes of a list as they are',
    )
  const { runCheck } = await import('../pipeline/check.ts')
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  let report: CheckReport
  const request = requestOf(flags.from ?? formatOf(file), flags)
  try {
    report = await runCheck({
      request,
      input: file,
      encoding,
      output,
      overwrites: overwrite === true,
      resumes: resume === true,
      checker: remote === undefined ? await indexSide(workers) : await serviceSide(remote),
      onNote: note => console.error(`postrie: ${note}`),
      onProgress: progressOf(performance.now()),
      signal: stop.signal,
    })
  } finally {
    showProgress('')
    process.off('SIGINT', interrupt)
  }
  if (summary === true) print(json, await summarized(report.counts, remote), summaryText)
  if (report.isComplete) return
  const isResumable = file !== '-' && output !== undefined && output !== '-'
  const then = isResumable ? '; --resume goes on' : ''
  console.error(`postrie: interrupted after ${report.counts.records} records${then}`)
  process.exitCode = EXIT.failed
}

function formatOf(file: string): CheckRequest['from'] {
  return FORMATS_OF_NAMES[FORMAT_OF_NAME.exec(file)?.[1].toLowerCase() ?? '']
}

function requestOf(from: CheckRequest['from'], flags: CheckFlags): CheckRequest {
  const { to, code, countryColumn, city, state, verify = false, country } = flags
  const { delimiter, fields = [], prefix = '', padDigits = false, ragged = false } = flags
  const columns = { code, countryColumn, city, state, verify, country }
  return { from, to, ...columns, delimiter, fields, prefix, padDigits, ragged }
}

/** Guesses what was meant, unless each guess would be charged. */
async function summarized(counts: Counts, remote: string | undefined): Promise<Summary> {
  if (remote !== undefined) return summaryOf(counts, undefined)
  const { openIndex } = await import('../library/main.ts')
  return summaryOf(counts, openIndex(indexAtHand()))
}

async function indexSide(workers: number): Promise<CheckerOptions> {
  const [{ indexChecker }, { openIndex }] = await Promise.all([
    import('../pipeline/check-index.ts'),
    import('../library/main.ts'),
  ])
  const indexFile = indexAtHand()
  const codes = openIndex(indexFile)
  const { buildId } = codes.about()
  await codes.close()
  return indexChecker(indexFile, buildId, workers)
}

async function serviceSide(url: string): Promise<CheckerOptions> {
  const { serviceChecker } = await import('../pipeline/check-service.ts')
  return serviceChecker(await clientOf(url), url)
}

/** Returns what shows how many records have been checked, a few times a second. */
function progressOf(startedMs: number): (counts: Counts) => void {
  let shownMs = startedMs
  return ({ records }) => {
    const nowMs = performance.now()
    if (nowMs - shownMs < SHOW_MS) return
    shownMs = nowMs
    const rate = Math.round((records / (nowMs - startedMs)) * 1000)
    showProgress(`${records.toLocaleString('en-US')} records, ${rate.toLocaleString('en-US')} a second`)
  }
}

function summaryText({ countries, wrong, fits, ...counts }: Summary): string {
  const number = (count: number) => count.toLocaleString('en-US')
  const share = (count: number, all: number) => `${((100 * count) / Math.max(1, all)).toFixed(2)}%`
  const results = Object.entries(counts)
  for (const [what, verdicts] of Object.entries(fits))
    for (const [verdict, count] of Object.entries(verdicts))
      if (count > 0) results.push([`${what} ${verdict}`, count])
  const tables = [
    table(
      ['RESULT', '>RECORDS', '>SHARE'],
      results.map(([name, count]) => [name, number(count), share(count, counts.records)]),
    ),
    table(
      ['COUNTRY', '>RECORDS', '>VALID', '>SHARE'],
      countries.map(({ country, records, valid }) => [
        country || 'unknown',
        number(records),
        number(valid),
        share(valid, records),
      ]),
    ),
  ]
  if (wrong.length > 0)
    tables.push(
      table(
        ['WRONG CODE', 'COUNTRY', '>RECORDS', 'MAY MEAN'],
        wrong.map(({ code, country, records, meant }) => [
          visible(code),
          country,
          number(records),
          meant ?? '',
        ]),
      ),
    )
  return tables.join('\n\n')
}

function delimiterOf(text: string): string {
  const character = text === '\\t' || text === 'tab' ? '\t' : text
  if (!/^[,;|\t]$/.test(character)) throw new InvalidArgumentError("It must be ',', ';', '|' or 'tab'.")
  return character
}

function fieldsOf(text: string): PlaceField[] {
  const names = text.split(',').map(name => name.trim())
  const wrong = names.find(name => !(PLACE_FIELDS as readonly string[]).includes(name))
  if (wrong !== undefined)
    throw new InvalidArgumentError(`'${wrong}' is not one of ${PLACE_FIELDS.join(', ')}.`)
  return names as PlaceField[]
}

function threadsOf(text: string): number {
  const threads = Number(text)
  if (!(Number.isInteger(threads) && threads >= 1 && threads <= THREADS_MAX))
    throw new InvalidArgumentError(`It must be 1 to ${THREADS_MAX}.`)
  return threads
}

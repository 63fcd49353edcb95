import type { Command } from 'commander'
import { readConfig } from '../../src/platform/settings/config.ts'
import { BUILDER_COMMANDS } from '../../src/programs/builder-commands.ts'
import { verifyFile } from '../write/read-back.ts'
import { existingIndex } from './existing-index.ts'

const HELP = `
Reads the whole file: every checksum, every key through the trie and back, the order of names, and nearest.

Example:
  $ postrie verify-index data/index.postrie`

export function addVerifyIndexCommand(program: Command): void {
  program
    .command('verify-index')
    .description(BUILDER_COMMANDS['verify-index'])
    .argument('[index]', 'index file; default INDEX_FILE')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action((file: string | undefined, { json }: { json?: boolean }) => {
      const indexFile = existingIndex(file ?? readConfig(process.env).indexFile)
      const { codes, buildId } = verifyFile(indexFile)
      const words = `${indexFile} is sound: ${codes.toLocaleString('en-US')} codes, build ${buildId}`
      process.stdout.write(`${json === true ? JSON.stringify({ indexFile, codes, buildId }) : words}\n`)
    })
}

/** Commands about the index file; the builder carries them out and documents them. */
import type { Command } from 'commander'
import { runBuilder } from './builder.ts'

const COMMANDS = {
  build: 'build the index from the installed datasets and further sources',
  coverage: 'list the countries of the index: codes, places, completeness, sources, licences',
  diff: 'compare two index files',
  'verify-index': 'check every checksum and every key of an index file',
} as const

export function addIndexCommands(program: Command): void {
  for (const [name, description] of Object.entries(COMMANDS)) {
    program
      .command(name)
      .description(description)
      .argument('[args...]')
      // Everything after the name, `--help` too, is the builder's to understand.
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (args: string[]) => {
        process.exitCode = await runBuilder([name, ...args])
      })
  }
}

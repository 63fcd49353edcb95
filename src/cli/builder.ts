/**
 * Runs the index builder as a child process. The service never imports the builder: it may be installed without it,
 * and the system gets the memory of a build back when the child ends.
 */
import { type StdioOptions, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { memoryBytes } from '../platform/memory.ts'
import { withoutSecrets } from '../settings/settings.ts'
import { missingDataPackage } from './data-packages.ts'
import { EXIT } from './exit.ts'

const MAIN = fileURLToPath(new URL('../../build-index/main.js', import.meta.url))

/**
 * A build makes much garbage that lives as long as a country. A larger nursery copies less of it, and a heap that may grow by half
 * before it is swept holds less: for the world, 1.2 GB instead of 1.6.
 */
const AMPLE_OPTIONS = ['--max-semi-space-size=64', '--heap-growing-percent=50']

/** Where memory is short, a small nursery: the default one takes up to 48 MB, which the old objects need more. */
const SCARCE_OPTIONS = ['--max-semi-space-size=4']

/** Memory that is needed in addition to the builder's old objects: its code, tables and files, this process, and npm's. */
const BESIDE_HEAP_BYTES = 240 * 1024 * 1024
const AMPLE_MEMORY_BYTES = 4 * 1024 * 1024 * 1024

/** Destination of the child's standard output: ours, or standard error with the log. */
type BuilderOutput = 'stdout' | 'stderr'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Runs the builder and returns its exit code, 1 when a signal ended it. @throws Error when it cannot be started. */
export async function runBuilder(args: readonly string[], output: BuilderOutput = 'stdout'): Promise<number> {
  const missing = args[0] === 'build' ? missingDataPackage() : null
  if (missing !== null) {
    console.error(`postrie: ${missing}`)
    return EXIT.failed
  }
  return new Promise((resolve, reject) => {
    const ours = output === 'stderr' ? 2 : 'inherit'
    // The channel carries nothing: its end says that this process is gone.
    const stdio: StdioOptions = ['inherit', ours, 'inherit', 'ipc']
    // Before the spawn: a signal in its middle would end this process alone, and the build would go on.
    const end = (signal: NodeJS.Signals) => child.kill(signal)
    for (const signal of SIGNALS) process.on(signal, end)
    const child = spawn(process.execPath, [...nodeOptions(memoryBytes()), MAIN, ...args], {
      stdio,
      env: withoutSecrets(process.env),
    })
    child.once('error', reject)
    child.once('exit', code => {
      for (const signal of SIGNALS) process.off(signal, end)
      resolve(code ?? 1)
    })
  })
}

/** Where memory is short, a bound on the heap makes the builder collect its garbage before the system ends it. */
function nodeOptions(memory: number): string[] {
  if (memory >= AMPLE_MEMORY_BYTES) return AMPLE_OPTIONS
  const heap = Math.floor((memory - BESIDE_HEAP_BYTES) / (1024 * 1024))
  return [`--max-old-space-size=${heap}`, ...SCARCE_OPTIONS]
}

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

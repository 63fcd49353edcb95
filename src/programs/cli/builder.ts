/** Runs the index builder, if installed, as a child process. Its end returns the memory to the system. */
import { type StdioOptions, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { EXIT } from '../../platform/exit.ts'
import { MEGABYTE, memoryBytes } from '../../platform/memory.ts'
import { builderEnvironment } from '../../platform/settings/settings.ts'
import { BUILDER_COMMANDS } from '../builder-commands.ts'
import { missingDataPackage } from './data-packages.ts'

const MAIN = fileURLToPath(new URL('../../../build-index/main.js', import.meta.url))

/**
 * Node.js options where memory is ample. Garbage of a build lives as long as its country: a larger nursery
 * copies less of it. Old objects are swept first at 100 MB, then each time they have grown by 70 percent.
 * Most functions run too briefly to win back the time of optimising them early.
 */
const AMPLE_OPTIONS = [
  '--max-semi-space-size=16',
  '--initial-old-space-size=100',
  '--heap-growing-percent=70',
  '--interrupt-budget=1000000',
]

/** Node.js options where memory is short. The default nursery would take up to 48 MB from old objects. */
const SCARCE_OPTIONS = ['--max-semi-space-size=4']

/** Memory beside the heap of the builder: its code, tables and files, this process, and npm's process. */
const BESIDE_HEAP_BYTES = 240 * MEGABYTE
/** Heap for a build of one small country. */
const HEAP_BYTES_MIN = 64 * MEGABYTE
/** Memory from which a build needs no bound on its heap. */
const AMPLE_MEMORY_BYTES = 4096 * MEGABYTE

/** Stream for the child's standard output. `stderr` keeps it with the log. */
type BuilderOutput = 'stdout' | 'stderr'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Runs the builder and returns its exit code; 1 if a signal ended it. @throws if it cannot be started */
export async function runBuilder(args: readonly string[], output: BuilderOutput = 'stdout'): Promise<number> {
  const missing = args[0] === 'build' ? missingDataPackage() : null
  if (missing !== null) {
    console.error(`postrie: ${missing}`)
    return EXIT.failed
  }
  return new Promise((resolve, reject) => {
    const ours = output === 'stderr' ? 2 : 'inherit'
    // The channel carries no messages. The builder ends when it closes.
    const stdio: StdioOptions = ['inherit', ours, 'inherit', 'ipc']
    // Before the spawn: a signal during the spawn would end only this process, and the build would go on.
    const end = (signal: NodeJS.Signals) => child.kill(signal)
    for (const signal of SIGNALS) process.on(signal, end)
    const child = spawn(process.execPath, [...nodeOptions(args[0], memoryBytes()), MAIN, ...args], {
      stdio,
      env: builderEnvironment(process.env),
    })
    const stopListening = () => {
      for (const signal of SIGNALS) process.off(signal, end)
    }
    child.once('error', error => {
      stopListening()
      reject(error)
    })
    child.once('exit', code => {
      stopListening()
      resolve(code ?? 1)
    })
  })
}

/** Bounds the heap where memory is short, so that garbage is collected before the system ends the build. */
function nodeOptions(command: string, memory: number): string[] {
  if (command !== 'build') return []
  if (memory >= AMPLE_MEMORY_BYTES) return AMPLE_OPTIONS
  const heap = Math.floor(Math.max(HEAP_BYTES_MIN, memory - BESIDE_HEAP_BYTES) / MEGABYTE)
  return [`--max-old-space-size=${heap}`, ...SCARCE_OPTIONS]
}

export function addCommands(program: Command): void {
  for (const [name, description] of Object.entries(BUILDER_COMMANDS)) {
    program
      .command(name)
      .description(description)
      .argument('[args...]')
      // The builder parses everything after the name, `--help` too.
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (args: string[]) => {
        process.exitCode = await runBuilder([name, ...args])
      })
  }
}

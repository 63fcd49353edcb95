/** The process of one server: started with its name, configured by a message, asked for the processor time it used. */
import { answerParent } from '../child.ts'
import { residentOf } from '../memory-use.ts'
import type { Setup, Start } from './setup.ts'

/** Loaded by name, so that no server's process holds another's packages. */
const SERVERS: Readonly<Record<string, () => Promise<Start>>> = {
  postrie: async () => (await import('./servers/postrie.ts')).startPostrie,
  bare: async () => (await import('./servers/bare.ts')).startBare,
  strings: async () => (await import('./servers/strings.ts')).startStrings,
  fastify: async () => (await import('./servers/fastify.ts')).startFastify,
  steps: async () => (await import('./servers/steps.ts')).startSteps,
  express: async () => (await import('./servers/express.ts')).startExpress,
}

// The benchmark ends its servers by a signal; only `exit` removes their ledgers.
process.once('SIGTERM', () => process.exit())

answerParent({
  start: async (setup: Setup) => (await SERVERS[process.argv[2]]())(setup),
  /** Microseconds of processor time so far, of all threads. */
  cpuMicros() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  resident: () => residentOf(process.pid),
})

/** The process of one server. Its argument names the server; messages say what to serve and ask what it has used. */
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

let stop: (() => Promise<void>) | undefined
// The benchmark ends its servers by a signal; only `exit` removes their ledgers.
process.once('SIGTERM', async () => {
  await stop?.()
  process.exit()
})

answerParent({
  start: async (setup: Setup) => {
    const start = await SERVERS[process.argv[2]]()
    const { stop: stopServer, ...started } = await start(setup)
    stop = stopServer
    return started
  },
  /** Microseconds of processor time so far, of all threads. */
  cpuMicros() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  resident: () => residentOf(process.pid),
})

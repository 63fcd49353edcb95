/** The process of one server. Its argument names the server; messages say what to serve and ask what it has used. */
import { answerParent } from '../child.ts'
import { residentOf } from '../memory-use.ts'
import { startClustered } from './clustered.ts'
import type { Running, Setup } from './setup.ts'
import { startOf } from './start-of.ts'

const name = process.argv[2]
let running: Running | undefined
// The benchmark ends its servers by a signal; only `exit` removes their ledgers.
process.once('SIGTERM', async () => {
  await running?.stop?.()
  process.exit()
})

answerParent({
  start: async (setup: Setup) => {
    running =
      (setup.processes ?? 1) > 1 ? await startClustered(name, setup) : await (await startOf(name))(setup)
    const { stop, cpuMicros, ...started } = running
    return started
  },
  /** Microseconds of processor time so far, of all threads and processes. */
  async cpuMicros() {
    const { user, system } = process.cpuUsage()
    return user + system + ((await running?.cpuMicros?.()) ?? 0)
  },
  resident: () => residentOf(process.pid),
})

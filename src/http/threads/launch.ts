/** Launches server threads. Imports next to nothing, so that they load their code while the rest of the service loads its own. */
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { BinaryGate } from './binary-gate.ts'

const ENTRY = new URL('./server-thread.js', import.meta.url)

/** What a server thread knows from its beginning. */
export interface ThreadLaunch {
  number: number
  /** Undefined: the binary of the HTTP server has been checked already. */
  gate: BinaryGate | undefined
}

/**
 * Threads numbered from 0. They wait for their first message; whoever launches them ends them.
 * @param gate closed until they may load the binary of the HTTP server
 */
export function launchThreads(count: number, gate?: BinaryGate): Worker[] {
  // A collection of a request's garbage takes a third of a millisecond alone. Shared with V8's helpers, it waits until the system has
  // run every one of them, tens of milliseconds on a busy machine. `bench/versions/request-path.ts` compares checkouts with and without.
  setFlagsFromString('--no-parallel-scavenge')
  return Array.from({ length: count }, (_, number) => {
    const workerData: ThreadLaunch = { number, gate }
    return new Worker(ENTRY, { name: `postrie server ${number}`, workerData })
  })
}

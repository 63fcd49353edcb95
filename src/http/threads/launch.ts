/** Launches server threads. Imports next to nothing, so that they load their code while the rest of the service loads its own. */
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

const ENTRY = new URL('./server-thread.js', import.meta.url)

/** Threads numbered from 0. They wait for their first message; whoever launches them ends them. */
export function launchThreads(count: number): Worker[] {
  // A collection of a request's garbage takes a third of a millisecond alone. Shared with V8's helpers, it waits until the system has
  // run every one of them, tens of milliseconds on a busy machine. `bench/versions/request-path.ts` found 4 percent more requests, and a shorter p99.
  setFlagsFromString('--no-parallel-scavenge')
  return Array.from(
    { length: count },
    (_, number) => new Worker(ENTRY, { name: `postrie server ${number}`, workerData: { number } }),
  )
}

/** Launches server threads. Imports next to nothing, so that they load their code while the rest of the service loads its own. */
import { Worker } from 'node:worker_threads'

const ENTRY = new URL('./server-thread.js', import.meta.url)

/** Threads numbered from 0. They wait for their first message; whoever launches them ends them. */
export function launchThreads(count: number): Worker[] {
  return Array.from(
    { length: count },
    (_, number) => new Worker(ENTRY, { name: `postrie server ${number}`, workerData: { number } }),
  )
}

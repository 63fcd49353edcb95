/** Launches server threads early. Few imports, so that their code loads beside other code. */
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

const ENTRY = new URL('./server-thread.js', import.meta.url)

/** Launches threads, which wait for their first message. The caller ends them. */
export function launchThreads(count: number): Worker[] {
  // A minor collection takes a third of a millisecond, and tens of them when it waits for helper threads.
  setFlagsFromString('--no-parallel-scavenge')
  // A script that Node.js preloads sees `number`.
  return Array.from(
    { length: count },
    (_, number) => new Worker(ENTRY, { name: `postrie server ${number}`, workerData: { number } }),
  )
}

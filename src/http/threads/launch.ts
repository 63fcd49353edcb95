/** Launches server threads. Imports next to nothing, so that they load their code while the rest of the service loads its own. */
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

const ENTRY = new URL('./server-thread.js', import.meta.url)

/** Launches threads that wait for their first message. The caller ends them. */
export function launchThreads(count: number): Worker[] {
  // A minor collection takes a third of a millisecond alone. In parallel it waits until the system has scheduled every helper thread,
  // tens of milliseconds on a busy machine.
  setFlagsFromString('--no-parallel-scavenge')
  return Array.from(
    { length: count },
    (_, number) => new Worker(ENTRY, { name: `postrie server ${number}`, workerData: { number } }),
  )
}

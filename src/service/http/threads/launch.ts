/** Launches server threads early. This file imports little, so that their code loads beside the other code. */
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

const ENTRY = new URL('./server-thread.js', import.meta.url)

/** Launches threads, which wait for their first message. The caller ends them. */
export function launchThreads(count: number): Worker[] {
  // A minor collection takes a third of a millisecond on the thread itself. With helper threads it waits for all of them: tens of
  // milliseconds on a busy machine.
  setFlagsFromString('--no-parallel-scavenge')
  return Array.from(
    { length: count },
    (_, number) => new Worker(ENTRY, { name: `postrie server ${number}`, workerData: { number } }),
  )
}

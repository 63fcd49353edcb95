/** Waits until the threads of a pool can be ended: Node.js aborts the process when a thread ends while it loads a module. */
import type { Worker } from 'node:worker_threads'

/** Resolves when each of a pool's new threads has loaded its module, or failed to. Piscina's threads say so by their first message. */
export async function threadsLoaded(threads: readonly Worker[]): Promise<void> {
  const events = ['message', 'error', 'exit'] as const
  await Promise.all(
    threads.map(
      thread =>
        new Promise<void>(resolve => {
          for (const event of events) thread.once(event, () => resolve())
        }),
    ),
  )
}

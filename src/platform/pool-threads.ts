import type { Worker } from 'node:worker_threads'

/** Resolves when every thread has loaded or failed. Node.js aborts if a loading thread is ended. */
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

/**
 * When the threads of a pool may be ended: Node.js ends the process when a thread ends while it loads its modules, or the native part of
 * one.
 */
import type { Worker } from 'node:worker_threads'

/**
 * Resolves when each of a pool's threads, which have just been started, has loaded its module or has failed to. Piscina's threads say so
 * by their first message. They cannot say anything later by themselves: between two tasks they wait without an event loop.
 */
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

/** Waits for `loaded`, at most `ms`, and keeps the process alive meanwhile, which threads of a pool do not. */
export function waitForThreads(loaded: Promise<void>, ms: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    void loaded.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

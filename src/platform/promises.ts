/** Order, pauses and end of asynchronous work. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'

/** Returns a function that runs work one at a time, in order. A failure does not stop the rest. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}

/** Runs work again and again until `isOver`, `ms` after its last end. The wait does not keep the process alive. */
export async function repeat(ms: number, work: () => Promise<void>, isOver: () => boolean): Promise<void> {
  for (;;) {
    await sleep(ms, undefined, { ref: false })
    if (isOver()) return
    await work()
  }
}

/** Time of long work in one turn of the event loop. Its last step may take longer. */
const TURN_MS = 2

/** Returns a function that long work awaits before each step. After TURN_MS it lets the event loop turn. */
export function pauses(): () => Promise<void> {
  let endMs = performance.now() + TURN_MS
  return async () => {
    if (performance.now() < endMs) return
    await new Promise(resolve => setImmediate(resolve))
    endMs = performance.now() + TURN_MS
  }
}

/** Resolves with true when `work` is done, or with false after `ms`. @throws the error of `work` */
export async function finishesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>(resolve => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const isDone = await Promise.race([work.then(() => true), late])
  clearTimeout(timer)
  return isDone
}

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

/** Runs every step in order, even if an earlier one fails. @throws the error of the first step that failed */
export async function closeAll(...steps: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

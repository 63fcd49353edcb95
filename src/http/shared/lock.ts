/** A lock in shared memory, for rare steps that several threads must not take at once. */

/** Attempts before a thread sleeps: the holder is at work on another core, for less than a microsecond. */
const SPINS_MAX = 1000
/** Sleeps of one millisecond before the holder is given up: it runs no JavaScript any more. */
const SLEEPS_MAX = 2000

/**
 * Runs `work` while no other thread is in the lock of `cells[at]`, which is 0 when it is free. Blocks the thread.
 * @throws Error when the lock is not released for seconds, and what `work` throws
 */
export function locked<T>(cells: Int32Array, at: number, work: () => T): T {
  take(cells, at)
  try {
    return work()
  } finally {
    Atomics.store(cells, at, 0)
    Atomics.notify(cells, at, 1)
  }
}

function take(cells: Int32Array, at: number): void {
  for (let spin = 0; spin < SPINS_MAX; spin++) if (Atomics.compareExchange(cells, at, 0, 1) === 0) return
  for (let sleep = 0; sleep < SLEEPS_MAX; sleep++) {
    Atomics.wait(cells, at, 1, 1)
    if (Atomics.compareExchange(cells, at, 0, 1) === 0) return
  }
  throw new Error('a thread has held a lock for seconds: it has died within it')
}

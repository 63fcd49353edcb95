/**
 * Run as a process with a thread, which has the process stopped at its first reading of each clock: a preemption between two
 * readings. Prints by how many milliseconds the thread's clock is off that of the machine.
 */
import { isMainThread, Worker } from 'node:worker_threads'

const machineMs = (hrtime => () => {
  const [seconds, nanoseconds] = hrtime()
  return seconds * 1000 + nanoseconds / 1e6
})(process.hrtime)

if (isMainThread) new Worker(new URL(import.meta.url))
else {
  stopAtFirst(performance, 'now')
  stopAtFirst(process, 'hrtime')
  stopAtFirst(process.hrtime, 'bigint')
  const { systemClock } = await import('../../src/ledger/clock.ts')
  systemClock.monotonicMs()
  const earlierMs = machineMs()
  const nowMs = systemClock.monotonicMs()
  process.stdout.write(`${Math.max(0, earlierMs - nowMs, nowMs - machineMs())}\n`)
}

/** Stops the process right after the first reading by the clock, until somebody continues it. The module loader reads clocks too. */
function stopAtFirst<Name extends string>(owner: Record<Name, unknown>, name: Name): void {
  const read = owner[name] as (...args: unknown[]) => unknown
  let isFirst = true
  const stopping = (...args: unknown[]): unknown => {
    const reading = read.apply(owner, args)
    if (isFirst && /ledger.clock|platform.time/.test(new Error().stack ?? '')) {
      isFirst = false
      process.kill(process.pid, 'SIGSTOP')
      // The signal reaches this thread a little later.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
    return reading
  }
  owner[name] = Object.assign(stopping, read) as Record<Name, unknown>[Name]
}

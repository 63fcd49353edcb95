/**
 * The pauses of this thread's event loop, and what they are made of: waiting for a processor that others use, or for a disk
 * whose queue others have filled, which says little about us; collecting garbage; and our own code.
 */

import { openSync, readSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import koffi from 'koffi'

export interface Pause {
  ms: number
  /** Of that, the time in which the thread was ready to run and no processor was free, as Linux counts it. */
  waitedMs: number
  /** Of that, the processor time of the thread. The rest of both it slept in the kernel. */
  ranMs: number
  /** Of that, the time of garbage collections. */
  gcMs: number
  /** Queries charged in it: one turn of the event loop answers all connections that are ready. */
  queries: number
}

export const NO_PAUSE: Pause = { ms: 0, waitedMs: 0, ranMs: 0, gcMs: 0, queries: 0 }
const TICK_MS = 1
/** Shorter pauses are not kept until the garbage collections in them are known. */
const KEPT_MS_MIN = 1
/** The clock of the calling thread's processor time, as Linux numbers it. */
const CLOCK_THREAD_CPUTIME_ID = 3
const clockGettime = koffi.load(null).func('int clock_gettime(int clock, void *time)')

interface Times {
  queries: number
  ranMs: number
  waitedMs: number
}

/** What our own code took of a pause: the processor time of the thread, without garbage collections. */
export function ownMs({ ranMs, gcMs }: Pause): number {
  return Math.max(0, ranMs - gcMs)
}

/** Looks at the clock every millisecond, on the main thread of a process on Linux. */
export class PauseWatch {
  readonly #queries: () => number
  readonly #schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  readonly #line = Buffer.alloc(64)
  /** Seconds and nanoseconds, 64 bits each. */
  readonly #time = new BigInt64Array(2)
  readonly #observer = new PerformanceObserver(list => this.#collected.push(...list.getEntries()))
  #collected: { startTime: number; duration: number }[] = []
  #pauses: ({ startMs: number; endMs: number } & Times)[] = []
  #lastMs = performance.now()
  #last: Times

  /** `queries` counts those that were charged so far. */
  constructor(queries: () => number) {
    this.#queries = queries
    this.#last = this.#times()
    this.#observer.observe({ entryTypes: ['gc'] })
    setInterval(() => this.#tick(), TICK_MS).unref()
  }

  /** The pauses since the last question: the longest, and the one in which our own code took longest. */
  take(): { longest: Pause; own: Pause } {
    this.#collected.push(...this.#observer.takeRecords())
    let longest = NO_PAUSE
    let own = NO_PAUSE
    for (const { startMs, endMs, ranMs, waitedMs, queries } of this.#pauses) {
      const ms = endMs - startMs - TICK_MS
      const pause = {
        ms,
        waitedMs: Math.min(ms, waitedMs),
        ranMs: Math.min(ms, ranMs),
        gcMs: this.#gcMs(startMs, endMs),
        queries,
      }
      if (pause.ms > longest.ms) longest = pause
      if (ownMs(pause) > ownMs(own)) own = pause
    }
    this.#pauses = []
    this.#collected = []
    return { longest, own }
  }

  #tick(): void {
    const nowMs = performance.now()
    const times = this.#times()
    if (nowMs - this.#lastMs > TICK_MS + KEPT_MS_MIN) {
      const ranMs = times.ranMs - this.#last.ranMs
      const waitedMs = times.waitedMs - this.#last.waitedMs
      const queries = times.queries - this.#last.queries
      this.#pauses.push({ startMs: this.#lastMs, endMs: nowMs, ranMs, waitedMs, queries })
    }
    this.#lastMs = nowMs
    this.#last = times
  }

  #gcMs(startMs: number, endMs: number): number {
    let gcMs = 0
    for (const { startTime, duration } of this.#collected) {
      gcMs += Math.max(0, Math.min(endMs, startTime + duration) - Math.max(startMs, startTime))
    }
    return gcMs
  }

  #times(): Times {
    clockGettime(CLOCK_THREAD_CPUTIME_ID, this.#time)
    const [seconds, nanoseconds] = this.#time
    const ranMs = Number(seconds) * 1e3 + Number(nanoseconds) / 1e6
    // The second number of the line: nanoseconds for which the thread was ready to run and did not.
    const length = readSync(this.#schedstat, this.#line, 0, this.#line.length, 0)
    const [, waited] = this.#line.toString('latin1', 0, length).split(' ')
    return { ranMs, waitedMs: Number(waited) / 1e6, queries: this.#queries() }
  }
}

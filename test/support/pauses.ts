/**
 * The pauses of this thread's event loop, and what they are made of: waiting for a processor that others use, or for a disk
 * whose queue others have filled, which says little about us; collecting garbage; and our own code. One turn of the event loop
 * answers all connections that are ready, so the longest pause is that of many requests; what holds them up is the longest that
 * one of them takes.
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
  /** Requests answered in it. */
  answers: number
}

export interface Pauses {
  longest: Pause
  /** The one in which our own code took longest. */
  own: Pause
  /** The longest between one answer and the next, or between an answer and anything else that the thread does. */
  step: Pause
}

const NO_PAUSE: Pause = { ms: 0, waitedMs: 0, ranMs: 0, gcMs: 0, answers: 0 }
export const NO_PAUSES: Pauses = { longest: NO_PAUSE, own: NO_PAUSE, step: NO_PAUSE }
const TICK_MS = 1
/** Shorter pauses are not kept until the garbage collections in them are known. */
const KEPT_MS_MIN = 1
/** The clock of the calling thread's processor time, as Linux numbers it. */
const CLOCK_THREAD_CPUTIME_ID = 3
const clockGettime = koffi.load(null).func('int clock_gettime(int clock, void *time)')

/** A pause as it is kept until the garbage collections in it are known. */
interface Kept extends Omit<Pause, 'ms' | 'gcMs'> {
  startMs: number
  endMs: number
}

/** What our own code took of a pause: the processor time of the thread, without garbage collections. */
export function ownMs({ ranMs, gcMs }: Pause): number {
  return Math.max(0, ranMs - gcMs)
}

/** The worse of both, one by one. */
export function worsePauses(a: Pauses, b: Pauses): Pauses {
  return {
    longest: a.longest.ms > b.longest.ms ? a.longest : b.longest,
    own: ownMs(a.own) > ownMs(b.own) ? a.own : b.own,
    step: ownMs(a.step) > ownMs(b.step) ? a.step : b.step,
  }
}

/** Looks at the clock every millisecond and at each answer, on Linux. */
export class PauseWatch {
  readonly #schedstat = openSync('/proc/thread-self/schedstat', 'r')
  readonly #line = Buffer.alloc(64)
  /** Seconds and nanoseconds, 64 bits each. */
  readonly #time = new BigInt64Array(2)
  readonly #observer = new PerformanceObserver(list => this.#collected.push(...list.getEntries()))
  #collected: { startTime: number; duration: number }[] = []
  #pauses: Kept[] = []
  #steps: Kept[] = []
  #answers = 0
  #lastMs = performance.now()
  #lastRanMs = this.#ranMs()
  #lastWaitedMs = this.#waitedMs()
  #stepMs = this.#lastMs
  #stepRanMs = this.#lastRanMs

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] })
    setInterval(() => this.#tick(), TICK_MS).unref()
  }

  /** A request has been answered. */
  answered(): void {
    this.#answers++
    this.#endStep(performance.now(), this.#ranMs(), 1)
  }

  /** The pauses since the last question. */
  take(): Pauses {
    this.#collected.push(...this.#observer.takeRecords())
    let worst = NO_PAUSES
    for (const kept of this.#pauses) {
      const pause = this.#pauseOf(kept)
      worst = worsePauses(worst, { longest: pause, own: pause, step: NO_PAUSE })
    }
    for (const kept of this.#steps) worst = worsePauses(worst, { ...NO_PAUSES, step: this.#pauseOf(kept) })
    this.#pauses = []
    this.#steps = []
    this.#collected = []
    return worst
  }

  #tick(): void {
    const nowMs = performance.now()
    const ranMs = this.#ranMs()
    const waitedMs = this.#waitedMs()
    this.#endStep(nowMs, ranMs, 0)
    if (nowMs - this.#lastMs > TICK_MS + KEPT_MS_MIN) {
      this.#pauses.push({
        // The timer was not due before.
        startMs: this.#lastMs + TICK_MS,
        endMs: nowMs,
        ranMs: ranMs - this.#lastRanMs,
        waitedMs: waitedMs - this.#lastWaitedMs,
        answers: this.#answers,
      })
    }
    this.#answers = 0
    this.#lastMs = nowMs
    this.#lastRanMs = ranMs
    this.#lastWaitedMs = waitedMs
  }

  #endStep(nowMs: number, nowRanMs: number, answers: number): void {
    const ranMs = nowRanMs - this.#stepRanMs
    if (ranMs > KEPT_MS_MIN)
      this.#steps.push({ startMs: this.#stepMs, endMs: nowMs, ranMs, waitedMs: 0, answers })
    this.#stepMs = nowMs
    this.#stepRanMs = nowRanMs
  }

  #pauseOf({ startMs, endMs, ranMs, waitedMs, answers }: Kept): Pause {
    const ms = endMs - startMs
    let gcMs = 0
    for (const { startTime, duration } of this.#collected) {
      gcMs += Math.max(0, Math.min(endMs, startTime + duration) - Math.max(startMs, startTime))
    }
    return { ms, waitedMs: Math.min(ms, waitedMs), ranMs: Math.min(ms, ranMs), gcMs, answers }
  }

  /** Processor time of this thread so far. */
  #ranMs(): number {
    clockGettime(CLOCK_THREAD_CPUTIME_ID, this.#time)
    const [seconds, nanoseconds] = this.#time
    return Number(seconds) * 1e3 + Number(nanoseconds) / 1e6
  }

  /** Time for which this thread was ready to run and did not, so far: the second number of the line, in nanoseconds. */
  #waitedMs(): number {
    const length = readSync(this.#schedstat, this.#line, 0, this.#line.length, 0)
    const [, waited] = this.#line.toString('latin1', 0, length).split(' ')
    return Number(waited) / 1e6
  }
}

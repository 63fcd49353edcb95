/** A clock for a ledger that is written after the fact, whose events keep the times when they happened. */
import { DAY_MS } from '../ledger/book/history.ts'
import { type Clock, systemClock } from '../ledger/clock.ts'
import type { Timeline } from '../ledger/timeline.ts'

export class WrittenTime implements Clock {
  #wallMs: number

  constructor(nowMs: number) {
    this.#wallMs = nowMs
  }

  wallMs = (): number => this.#wallMs
  /** It stands still: no entry grows old while it waits for the disk. */
  monotonicMs = (): number => 0
  after = systemClock.after

  /** Brings `timeline`, which reads this clock, to any time. It follows the wall clock back only by more than a day, hence the detour. */
  set(timeline: Timeline, timeMs: number): void {
    if (timeline.nowMs() === timeMs) return
    this.#wallMs = Math.min(timeline.nowMs(), timeMs) - 2 * DAY_MS
    timeline.follow()
    this.#wallMs = timeMs
    timeline.follow()
  }
}

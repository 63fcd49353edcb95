/** A clock for a ledger that is written after the fact, whose events keep the times when they happened. */

import { type Clock, systemClock } from '../../src/ledger/clock.ts'
import type { Timeline } from '../../src/ledger/timeline.ts'
import { DAY_MS } from '../../src/platform/time.ts'

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

import type { Clock } from '../../../src/billing/ledger/timeline.ts'
import { FLUSH_MS_DEFAULT } from '../../../src/platform/limits.ts'

/** A Saturday, 12:00:00 UTC. */
export const START_MS = Date.UTC(2026, 10, 21, 12)

/** A clock that only the test advances. */
export class TestClock implements Clock {
  /** Wall time and monotonic time in shared memory, for other threads. */
  readonly cells = new Float64Array(new SharedArrayBuffer(16))
  #timers: { atMs: number; run: () => void }[] = []

  constructor() {
    this.cells[0] = START_MS
    this.cells[1] = 1000
  }

  wallMs = (): number => this.cells[0]
  monotonicMs = (): number => this.cells[1]

  after = (ms: number, run: () => void): (() => void) => {
    const timer = { atMs: this.cells[1] + ms, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(other => other !== timer)
    }
  }

  /** Lets `ms` pass on both clocks and runs the due timers, each at its own time. */
  advance(ms: number): void {
    const endMs = this.cells[1] + ms
    for (;;) {
      const due = this.#timers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (due === undefined) break
      this.#timers = this.#timers.filter(other => other !== due)
      this.#move(due.atMs - this.cells[1])
      due.run()
    }
    this.#move(endMs - this.cells[1])
  }

  /** Advances in steps and lets the simulated disk work between them, so that a charge is synced before hours pass. */
  async pass(ms: number): Promise<void> {
    this.advance(Math.min(ms, FLUSH_MS_DEFAULT))
    await new Promise(resolve => setImmediate(resolve))
    this.advance(Math.max(0, ms - FLUSH_MS_DEFAULT))
  }

  /** Sets the wall clock forward or back. No time passes. */
  jump(ms: number): void {
    this.cells[0] += ms
  }

  /** Removes all timers, as the death of a process does. */
  forgetTimers(): void {
    this.#timers = []
  }

  #move(ms: number): void {
    this.cells[0] += ms
    this.cells[1] += ms
  }
}

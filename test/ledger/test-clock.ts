import type { Clock } from '../../src/ledger/clock.ts'
import { FLUSH_MS_DEFAULT } from '../../src/limits.ts'

/** A Saturday, 12:00:00 UTC. */
export const START_MS = Date.UTC(2026, 10, 21, 12)

/** Time that passes only when a test says so. */
export class TestClock implements Clock {
  #wall = START_MS
  #monotonic = 1000
  #timers: { atMs: number; run: () => void }[] = []

  wallMs = (): number => this.#wall
  monotonicMs = (): number => this.#monotonic

  after = (ms: number, run: () => void): (() => void) => {
    const timer = { atMs: this.#monotonic + ms, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(other => other !== timer)
    }
  }

  /** Lets `ms` pass on both clocks and runs the timers that are due, each at its own moment. */
  advance(ms: number): void {
    const endMs = this.#monotonic + ms
    for (;;) {
      const due = this.#timers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (due === undefined) break
      this.#timers = this.#timers.filter(other => other !== due)
      this.#move(due.atMs - this.#monotonic)
      due.run()
    }
    this.#move(endMs - this.#monotonic)
  }

  /** As `advance`, but the simulated disk does its work in between: a charge is flushed and synced before hours pass. */
  async pass(ms: number): Promise<void> {
    this.advance(Math.min(ms, FLUSH_MS_DEFAULT))
    await new Promise(resolve => setImmediate(resolve))
    this.advance(Math.max(0, ms - FLUSH_MS_DEFAULT))
  }

  /** Sets the wall clock forward or back without time passing. */
  jump(ms: number): void {
    this.#wall += ms
  }

  /** A dead process has no timers. */
  forgetTimers(): void {
    this.#timers = []
  }

  #move(ms: number): void {
    this.#wall += ms
    this.#monotonic += ms
  }
}

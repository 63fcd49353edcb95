import type { Clock } from '../../src/ledger/clock.ts'
import { FLUSH_MS_DEFAULT } from '../../src/limits.ts'

/** A Saturday, 12:00:00 UTC. */
export const START_MS = Date.UTC(2026, 10, 21, 12)

/** Time that passes only when a test says so. */
export class TestClock implements Clock {
  /** Wall time and monotonic time, where other threads can read them. */
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

  /** Lets `ms` pass on both clocks and runs the timers that are due, each at its own moment. */
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

  /** As `advance`, but the simulated disk does its work in between: a charge is flushed and synced before hours pass. */
  async pass(ms: number): Promise<void> {
    this.advance(Math.min(ms, FLUSH_MS_DEFAULT))
    await new Promise(resolve => setImmediate(resolve))
    this.advance(Math.max(0, ms - FLUSH_MS_DEFAULT))
  }

  /** Sets the wall clock forward or back without time passing. */
  jump(ms: number): void {
    this.cells[0] += ms
  }

  /** A dead process has no timers. */
  forgetTimers(): void {
    this.#timers = []
  }

  #move(ms: number): void {
    this.cells[0] += ms
    this.cells[1] += ms
  }
}

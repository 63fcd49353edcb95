import type { Clock } from '../../ledger/clock.ts'
import { usageEvents } from '../../ledger/event.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Listeners } from '../listeners.ts'
import type { LiveKey } from './live.ts'
import { appendUsage } from './meter-reading.ts'

/** Moves what the meter has counted into the ledger, some milliseconds after the first charge that is not there yet. */
export class Flusher {
  readonly #ledger: Ledger
  readonly #flushMs: number
  readonly #clock: Clock
  readonly #listeners: Listeners
  #waiting: LiveKey[] = []
  #cancel: (() => void) | null = null
  #stopped = false

  constructor(ledger: Ledger, flushMs: number, clock: Clock, listeners: Listeners) {
    this.#ledger = ledger
    this.#flushMs = flushMs
    this.#clock = clock
    this.#listeners = listeners
  }

  /** Notes a key whose first charge since the last flush has just been made. An idle service sets no timer. */
  mark(key: LiveKey): void {
    key.dirty = true
    this.#waiting.push(key)
    if (!this.#stopped) this.#cancel ??= this.#clock.after(this.#flushMs, () => this.flush())
  }

  /** Appends nothing more: the ledger is closing or has failed. */
  stop(): void {
    this.#stopped = true
    this.#cancel?.()
    this.#cancel = null
  }

  /** Appends the usage of all waiting keys to the next batch. */
  flush(): void {
    this.#cancel?.()
    this.#cancel = null
    if (this.#waiting.length === 0 || this.#stopped) return
    const ledger = this.#ledger
    const waiting = this.#waiting
    this.#waiting = []
    ledger.timeline.follow()
    ledger.meter.setClock(ledger.timeline.nowMs())
    const rows: number[] = []
    for (const key of waiting) {
      key.dirty = false
      appendUsage(rows, key, ledger.meter.cells)
    }
    for (const event of usageEvents(rows)) ledger.append([event])
    this.#tell(waiting)
  }

  /** Names the accounts once their usage is durable. A failure is reported by the ledger; nobody is told then. */
  #tell(flushed: readonly LiveKey[]): void {
    if (this.#listeners.isEmpty) return
    this.#ledger.settled().then(
      () => this.#listeners.tell('usage', ...new Set(flushed.map(key => key.account.id))),
      () => {},
    )
  }
}

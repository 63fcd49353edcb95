import type { Clock } from '../../ledger/clock.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { FLUSH_KEYS_PER_SYNC, FLUSH_KEYS_PER_TURN } from '../../limits.ts'
import type { Listeners } from '../listeners.ts'
import { renewCap } from './key-cap.ts'
import type { LiveKey } from './live.ts'
import { appendUsage } from './meter-reading.ts'

/**
 * Moves what the meter has counted into the ledger, some milliseconds after the first charge that is not there yet. Requests
 * run between slices of a bounded number of keys, so a flush pauses them for less than a millisecond however many keys wait.
 */
export class Flusher {
  readonly #ledger: Ledger
  readonly #flushMs: number
  readonly #clock: Clock
  readonly #listeners: Listeners
  #waiting: LiveKey[] = []
  /** The flush in progress. */
  #running: Promise<void> | null = null
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
    if (this.#running === null) this.#schedule()
  }

  /** Appends nothing more: the ledger is closing or has failed. */
  stop(): void {
    this.#stopped = true
    this.#cancel?.()
    this.#cancel = null
  }

  /** Appends the usage of those of `keys` that wait, at once. For a report on one account. */
  flushKeys(keys: readonly LiveKey[]): void {
    if (!this.#stopped) this.#append(keys)
  }

  /** Appends the usage of every key that waits at this moment, slice by slice. Later charges do not prolong it. */
  async flushWaiting(): Promise<void> {
    await this.#running
    if (!this.#stopped) await this.#flush()
  }

  /** As `flushWaiting`, until none waits any more. For the end, when nothing is charged. */
  async drain(): Promise<void> {
    while (!this.#stopped && (this.#running !== null || this.#waiting.length > 0)) await this.#flush()
  }

  #schedule(): void {
    if (this.#stopped || this.#waiting.length === 0) return
    this.#cancel ??= this.#clock.after(this.#flushMs, () => this.#flush())
  }

  #flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = null
    this.#running ??= this.#run().then(() => {
      this.#running = null
      this.#schedule()
    })
    return this.#running
  }

  /** The first slice at once, the others each in a turn of its own. */
  async #run(): Promise<void> {
    const keys = this.#waiting
    this.#waiting = []
    for (let start = 0; start < keys.length && !this.#stopped; start += FLUSH_KEYS_PER_TURN) {
      if (start > 0 && !(await this.#pause(start))) return
      this.#append(keys.slice(start, start + FLUSH_KEYS_PER_TURN))
    }
  }

  /** Ends the turn, and now and then waits for the disk, so that no batch grows large. False when the disk has failed. */
  #pause(keysDone: number): Promise<boolean> {
    if (keysDone % FLUSH_KEYS_PER_SYNC !== 0) return new Promise(resolve => setImmediate(resolve, true))
    return this.#ledger.settled().then(
      () => true,
      () => false,
    )
  }

  /** Appends one event with the usage of those of `keys` that are dirty. */
  #append(keys: readonly LiveKey[]): void {
    const ledger = this.#ledger
    const dirty = keys.filter(key => key.dirty)
    if (dirty.length === 0) return
    ledger.timeline.follow()
    const nowMs = ledger.timeline.nowMs()
    const { cells } = ledger.meter
    ledger.meter.setClock(nowMs)
    const rows: number[] = []
    for (const key of dirty) {
      key.dirty = false
      appendUsage(rows, key, cells)
    }
    ledger.append([{ kind: 'usage', rows }])
    // The ledger may have dated this usage in another month than the one that the cap was computed for.
    for (const key of dirty) if (key.record.capMicros !== null) renewCap(key, cells, nowMs)
    this.#notify(dirty)
  }

  /** Names the accounts once their usage is durable. A failure is reported by the ledger; nobody is notified then. */
  #notify(flushed: readonly LiveKey[]): void {
    if (this.#listeners.isEmpty) return
    this.#ledger.settled().then(
      () => this.#listeners.notify('usage', ...new Set(flushed.map(key => key.account.id))),
      () => {},
    )
  }
}

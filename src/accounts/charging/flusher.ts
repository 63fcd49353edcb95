import type { KeyRecord } from '../../ledger/book/record.ts'
import type { Clock } from '../../ledger/clock.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { appendUsageRow, USAGE_CLASSES_COUNT } from '../../ledger/usage-rows.ts'
import { FLUSH_KEYS_PER_SYNC, FLUSH_KEYS_PER_TURN, QUERY_PRICE_MICROS } from '../../limits.ts'
import type { AttachedThreads } from '../attached-threads.ts'
import type { Listeners } from '../listeners.ts'
import { AWAKE } from '../live/live-layout.ts'
import type { LiveState } from '../live/live-state.ts'
import type { Registry } from '../registry.ts'
import type { Collector } from './collector.ts'

/** Milliseconds after which a flush that a thread has held up is tried again. */
const HELD_UP_MS = 1

/**
 * Moves what the rows of all threads have counted into the ledger, every few milliseconds while there are charges. Commands run between slices of a bounded number of rows, so a flush pauses them for less than a millisecond however
 * many keys were charged.
 */
export class Flusher {
  readonly #ledger: Ledger
  readonly #registry: Registry
  readonly #collector: Collector
  readonly #flushMs: number
  readonly #clock: Clock
  readonly #listeners: Listeners
  readonly #threads: AttachedThreads
  readonly #onFlushed: ((keys: readonly KeyRecord[]) => void) | undefined
  /** The live state's header, whose word `AWAKE` says that this flusher knows of waiting usage. */
  readonly #awake: Int32Array
  /** The flush in progress. */
  #running: Promise<void> | null = null
  #cancel: (() => void) | null = null
  #stopped = false
  /** Queries that this process has flushed, by class. A charge that was taken back after its flush lowers it. */
  readonly #flushed = new Array<number>(USAGE_CLASSES_COUNT).fill(0)
  /** The same, never lower than before: a counter that falls looks like one that began again. */
  readonly #flushedMost = new Array<number>(USAGE_CLASSES_COUNT).fill(0)

  constructor(
    parts: {
      ledger: Ledger
      registry: Registry
      collector: Collector
      listeners: Listeners
      threads: AttachedThreads
      live: LiveState
      /** Called with the keys whose charges have just been appended. */
      onFlushed?: (keys: readonly KeyRecord[]) => void
    },
    flushMs: number,
    clock: Clock,
  ) {
    this.#ledger = parts.ledger
    this.#registry = parts.registry
    this.#collector = parts.collector
    this.#listeners = parts.listeners
    this.#threads = parts.threads
    this.#awake = parts.live.header
    this.#onFlushed = parts.onFlushed
    this.#flushMs = flushMs
    this.#clock = clock
  }

  /** Some thread has made a charge while this flusher slept. An idle service sets no timer. */
  wake(): void {
    if (this.#running === null) this.#schedule()
  }

  /** Appends nothing more: the ledger is closing or has failed. */
  stop(): void {
    this.#stopped = true
    this.#cancel?.()
    this.#cancel = null
  }

  /** Queries charged since the start and flushed, by usage class. Never falls. */
  get charged(): readonly number[] {
    return this.#flushedMost
  }

  /** Appends the usage of `keys` that is not in the ledger, at once. For a report on one account. */
  flushKeys(keys: readonly KeyRecord[]): void {
    if (this.#stopped) return
    this.#collector.collect()
    this.#append(keys.flatMap(key => this.#collector.waitingOf(key)))
  }

  /** Appends the usage that waits at this moment, slice by slice. Later charges do not prolong it. */
  async flushWaiting(): Promise<void> {
    await this.#running
    if (!this.#stopped) await this.#flush()
  }

  /** As `flushWaiting`, until none waits any more. For the end, when nothing is charged. */
  async drain(): Promise<void> {
    this.#collector.end()
    while (!this.#stopped && (this.#running !== null || this.#hasWaiting())) await this.#flush()
  }

  #hasWaiting(): boolean {
    this.#collector.collect()
    return this.#collector.waiting.size > 0
  }

  #schedule(): void {
    if (this.#stopped || Atomics.load(this.#awake, AWAKE) === 0) return
    const ms = this.#collector.takeHeldUp() ? Math.min(HELD_UP_MS, this.#flushMs) : this.#flushMs
    this.#cancel ??= this.#clock.after(ms, () => this.#flush())
  }

  /** Flushes what waits at this moment, unless a flush is in progress. Resolves when it has been appended. */
  async #flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = null
    if (this.#running === null) {
      const rows = this.#collect()
      this.#append(rows.slice(0, FLUSH_KEYS_PER_TURN))
      // Nearly every flush is one slice, and is done here.
      if (rows.length <= FLUSH_KEYS_PER_TURN) return this.#schedule()
      this.#running = this.#appendRest(rows).then(() => {
        this.#running = null
        this.#schedule()
      })
    }
    await this.#running
  }

  #collect(): number[] {
    this.#threads.growInTime()
    this.#collector.collect()
    if (this.#collector.waiting.size === 0) this.#sleep()
    return [...this.#collector.waiting]
  }

  /** All slices but the first, each in a turn of its own. */
  async #appendRest(rows: readonly number[]): Promise<void> {
    for (let start = FLUSH_KEYS_PER_TURN; start < rows.length; start += FLUSH_KEYS_PER_TURN) {
      if (this.#stopped || !(await this.#pause(start)) || this.#stopped) return
      this.#append(rows.slice(start, start + FLUSH_KEYS_PER_TURN))
    }
  }

  /**
   * Has the next charge wake this flusher. While there is usage it runs again after every flush, so that no flush needs a message from
   * another thread. Everything is checked once more, since whoever changed something before this was silent.
   */
  #sleep(): void {
    Atomics.store(this.#awake, AWAKE, 0)
    this.#threads.growInTime()
    this.#collector.collect()
    if (this.#collector.waiting.size > 0) Atomics.store(this.#awake, AWAKE, 1)
  }

  /** Ends the turn, and now and then waits for the disk, so that no batch grows large. False when the disk has failed. */
  #pause(rowsDone: number): Promise<boolean> {
    if (rowsDone % FLUSH_KEYS_PER_SYNC !== 0) return new Promise(resolve => setImmediate(resolve, true))
    return this.#ledger.settled().then(
      () => true,
      () => false,
    )
  }

  /** Appends one event with the usage of those of `rows` that still wait. */
  #append(rows: readonly number[]): void {
    const ledger = this.#ledger
    const waiting = rows.filter(row => this.#collector.waiting.has(row))
    if (waiting.length === 0) return
    ledger.timeline.follow()
    ledger.meter.rows.setClock(0, ledger.timeline.nowMs())
    const added = this.#move(waiting)
    if (added.size === 0) return
    const usage: number[] = []
    for (const [key, queries] of added) {
      const soFar = queries.map((count, usage) => (count === 0 ? undefined : key.queriesOf(usage) + count))
      const total = queries.reduce((sum, count) => sum + count, 0)
      appendUsageRow(usage, key.slot, soFar, key.spentMicros + total * QUERY_PRICE_MICROS)
      this.#countFlushed(queries)
    }
    ledger.append([{ kind: 'usage', rows: usage }])
    const keys = [...added.keys()]
    // The ledger may have dated this usage in another month than the one that the cap was computed for.
    for (const key of keys) if (key.capMicros !== null) this.renewCap(key)
    this.#onFlushed?.(keys)
    this.#notify(keys)
  }

  #countFlushed(queries: readonly number[]): void {
    for (const [usage, count] of queries.entries()) {
      this.#flushed[usage] += count
      this.#flushedMost[usage] = Math.max(this.#flushedMost[usage], this.#flushed[usage])
    }
  }

  /** Computes again what a key's cap allows. */
  renewCap(key: KeyRecord): void {
    this.#registry.locked(key.account, () => this.#registry.renewCap(key, this.#collector.aheadMicros(key)))
  }

  /** Queries by key and class that the ledger lacks. They count as in the ledger from now on. */
  #move(rows: readonly number[]): Map<KeyRecord, number[]> {
    const { book } = this.#ledger
    const added = new Map<KeyRecord, number[]>()
    for (const row of rows) {
      const key = book.key(this.#collector.slotOf(row))
      const queries = added.get(key) ?? new Array<number>(USAGE_CLASSES_COUNT).fill(0)
      if (this.#registry.locked(key.account, () => this.#collector.move(row, queries)))
        added.set(key, queries)
    }
    return added
  }

  /** Names the accounts once their usage is durable. A failure is reported by the ledger; nobody is notified then. */
  #notify(flushed: readonly KeyRecord[]): void {
    if (this.#listeners.isEmpty) return
    this.#ledger.settled().then(
      () => this.#listeners.notify('usage', ...new Set(flushed.map(key => key.account.id))),
      () => {},
    )
  }
}

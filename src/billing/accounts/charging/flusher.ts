import { FLUSH_MS_DEFAULT } from '../../../platform/limits.ts'
import type { KeyRecord } from '../../ledger/book/record.ts'
import type { UsageRow } from '../../ledger/event.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { meteredQueries, USAGE_CLASSES_MAX } from '../../ledger/meter/meter-layout.ts'
import { type Clock, systemClock } from '../../ledger/timeline.ts'
import { QUERY_PRICE_MICROS } from '../../money.ts'
import type { AccountStore } from '../account-store.ts'
import { AWAKE } from '../live/live-layout.ts'
import type { LiveState } from '../live/live-state.ts'
import { withLock } from '../live/lock.ts'

/** Rows of the meter that one turn of the event loop moves to the ledger. */
const FLUSH_KEYS_PER_TURN = 64
/** Rows of the meter that may wait for one sync. */
const FLUSH_KEYS_PER_SYNC = 4096

interface FlusherParts {
  ledger: Ledger
  store: Pick<AccountStore, 'booked'>
  live: LiveState
}

/** Moves the counts of the meter to the ledger every few milliseconds while there are charges, in slices between commands. */
export class Flusher {
  readonly #parts: FlusherParts
  readonly #flushMs: number
  readonly #clock: Clock
  #running: Promise<void> | null = null
  #cancel: (() => void) | null = null
  #isStopped = false
  /** Number of queries since the start, by usage class. */
  readonly charged: number[] = new Array<number>(USAGE_CLASSES_MAX).fill(0)

  constructor(parts: FlusherParts, flushMs: number = FLUSH_MS_DEFAULT, clock: Clock = systemClock) {
    this.#parts = parts
    this.#flushMs = flushMs
    this.#clock = clock
  }

  /** Sets the timer after a charge. An idle service has no timer. */
  wake(): void {
    if (this.#isStopped || Atomics.load(this.#parts.live.header, AWAKE) === 0) return
    this.#cancel ??= this.#clock.after(this.#flushMs, () => this.#flush())
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
    this.#cancel = null
  }

  /** Appends the new usage of one account's keys at once, since it has at most KEYS_PER_ACCOUNT_MAX. */
  flushKeys(keys: readonly KeyRecord[]): void {
    if (this.#isStopped) return
    const { ledger, live } = this.#parts
    this.#append(keys.filter(({ slot }) => live.takeChanged(slot)).map(({ slot }) => ledger.book.key(slot)))
  }

  /** Appends the waiting usage. Later charges do not prolong it. */
  async flushWaiting(): Promise<void> {
    await this.#running
    if (!this.#isStopped) await this.#flush()
  }

  /** Flushes until nothing waits. For closing, after the last charge. */
  async drain(): Promise<void> {
    while (!this.#isStopped && (this.#running !== null || this.#nextChanged(0) >= 0)) await this.#flush()
  }

  #nextChanged(from: number): number {
    const { ledger, live } = this.#parts
    return live.nextChanged(from, ledger.book.slots.length)
  }

  #flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = null
    this.#running ??= this.#appendSlices().finally(() => {
      this.#running = null
      this.wake()
    })
    return this.#running
  }

  async #appendSlices(): Promise<void> {
    let slot = this.#nextChanged(0)
    if (slot < 0) this.#sleep()
    for (let slices = 1; slot >= 0 && !this.#isStopped; slices++) {
      slot = this.#appendFrom(slot)
      if (slot >= 0 && !(await this.#pause(slices))) return
    }
  }

  /** Appends a slice of the changed keys from slot `from` on. Returns the next changed slot; -1 if there is none. */
  #appendFrom(from: number): number {
    const { ledger, live } = this.#parts
    const keys: KeyRecord[] = []
    let slot = from
    for (; slot >= 0 && keys.length < FLUSH_KEYS_PER_TURN; slot = this.#nextChanged(slot + 1)) {
      live.takeChanged(slot)
      keys.push(ledger.book.key(slot))
    }
    this.#append(keys)
    return slot
  }

  /** Lets the next charge wake this flusher. Looks again, since a charge before the store below did not wake it. */
  #sleep(): void {
    const { header } = this.#parts.live
    Atomics.store(header, AWAKE, 0)
    if (this.#nextChanged(0) >= 0) Atomics.store(header, AWAKE, 1)
  }

  /** Ends the turn. Waits for the disk every FLUSH_KEYS_PER_SYNC keys, so that no batch grows large. Resolves with false if the disk failed. */
  #pause(slicesDone: number): Promise<boolean> {
    if (slicesDone % (FLUSH_KEYS_PER_SYNC / FLUSH_KEYS_PER_TURN) !== 0)
      return new Promise(resolve => setImmediate(resolve, true))
    return this.#parts.ledger.untilDurable().then(
      () => true,
      () => false,
    )
  }

  #append(keys: readonly KeyRecord[]): void {
    if (keys.length === 0) return
    const { ledger } = this.#parts
    ledger.timeline.follow()
    ledger.meter.rows.noteTime(ledger.timeline.nowMs())
    ledger.append([{ kind: 'usage', rows: keys.map(key => this.#rowOf(key)) }])
    this.#parts.store.booked(keys)
  }

  /** Returns a key's usage, read under the lock: it has the counts of all charges that found the bit set. */
  #rowOf(key: KeyRecord): UsageRow {
    const { live, ledger } = this.#parts
    const queries = withLock(live, key.account, () => meteredQueries(ledger.meter.rows, key.slot))
    let ahead = 0
    for (const [usageClass, count] of queries.entries()) {
      const added = count - key.queries[usageClass]
      this.charged[usageClass] += added
      ahead += added
    }
    return { key: key.slot, queries, spentMicros: key.spentMicros + ahead * QUERY_PRICE_MICROS }
  }
}

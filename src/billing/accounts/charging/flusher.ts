/** Moves the charges of all threads from the meter to the ledger. */
import { FLUSH_MS_DEFAULT } from '../../../platform/limits.ts'
import { inTurn, pauses } from '../../../platform/promises.ts'
import { type AccountRecord, type KeyRecord, ownerOf } from '../../ledger/book/record.ts'
import type { KeyUsage } from '../../ledger/event.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { meteredQueries, USAGE_CLASSES_MAX } from '../../ledger/meter/meter-layout.ts'
import { type Clock, systemClock } from '../../ledger/timeline.ts'
import { QUERY_PRICE_MICROS } from '../../money.ts'
import type { AccountStore } from '../account-store.ts'
import { LIVE_HEADER } from '../live/live-layout.ts'
import { type LiveState, withLock } from '../live/live-state.ts'

/** Rows of the meter in one frame of the ledger. */
const FLUSH_KEYS_PER_FRAME = 64
/** Frames after which a flush waits for the disk, so that no batch grows large. */
const FLUSH_FRAMES_PER_SYNC = 64

/** Flushes every few milliseconds while there are charges, between commands. */
export function flusherOf(
  ledger: Ledger,
  store: Pick<AccountStore, 'noteBooked'>,
  live: LiveState,
  flushMs: number = FLUSH_MS_DEFAULT,
  clock: Clock = systemClock,
) {
  const flushing = inTurn()
  let cancel: (() => void) | null = null
  let isStopped = false
  /** Number of queries since the start, by usage class. */
  const charged: number[] = new Array<number>(USAGE_CLASSES_MAX).fill(0)

  /** Sets the timer after a charge. An idle service has no timer. */
  function wake(): void {
    if (isStopped || Atomics.load(live.words, LIVE_HEADER.awake) === 0) return
    cancel ??= clock.after(flushMs, () => flush())
  }

  function stop(): void {
    isStopped = true
    cancel?.()
    cancel = null
  }

  /** Books all charges of an account, which are a flush interval late otherwise. Returns the record. */
  function bookCharges<R extends AccountRecord | KeyRecord>(record: R): R {
    const changed = isStopped ? [] : ownerOf(record).keys.filter(({ slot }) => live.clearChanged(slot))
    append(changed.map(({ slot }) => ledger.book.key(slot)))
    return record
  }

  /** Flushes until nothing waits. For closing, after the last charge. */
  async function drain(): Promise<void> {
    do await flush()
    while (!isStopped && nextChanged(0) >= 0)
  }

  function nextChanged(from: number): number {
    return live.nextChanged(from, ledger.book.slots.length)
  }

  /** Appends the waiting usage. Later charges do not prolong it. */
  function flush(): Promise<void> {
    cancel?.()
    cancel = null
    return flushing(appendWaiting).finally(wake)
  }

  async function appendWaiting(): Promise<void> {
    if (nextChanged(0) < 0) {
      // Looks again: a charge just before this store saw `awake` set, and woke nobody.
      Atomics.store(live.words, LIVE_HEADER.awake, 0)
      if (nextChanged(0) >= 0) Atomics.store(live.words, LIVE_HEADER.awake, 1)
      return
    }
    const pause = pauses()
    let from = 0
    for (let frames = 1; !isStopped; frames++) {
      const keys = takeChanged(from)
      append(keys)
      if (keys.length < FLUSH_KEYS_PER_FRAME) return
      from = keys[keys.length - 1].slot + 1
      await pause()
      // A failure of the disk stops this flusher.
      if (frames % FLUSH_FRAMES_PER_SYNC === 0) await ledger.untilDurable().catch(() => {})
    }
  }

  /** Takes the changed keys of one frame, from a slot on. */
  function takeChanged(from: number): KeyRecord[] {
    const keys: KeyRecord[] = []
    let slot = nextChanged(from)
    for (; slot >= 0 && keys.length < FLUSH_KEYS_PER_FRAME; slot = nextChanged(slot + 1)) {
      live.clearChanged(slot)
      keys.push(ledger.book.key(slot))
    }
    return keys
  }

  function append(keys: readonly KeyRecord[]): void {
    if (keys.length === 0) return
    ledger.timeline.correct()
    ledger.meter.rows.noteTime(ledger.timeline.nowMs())
    ledger.append([{ kind: 'usage', rows: keys.map(countUsage) }])
    store.noteBooked(keys)
  }

  /** Returns a key's usage, and counts what is new. The lock includes charges that found the bit set. */
  function countUsage(key: KeyRecord): KeyUsage {
    const queries = withLock(live, key.account, () => meteredQueries(ledger.meter.rows, key.slot))
    let unbooked = 0
    for (const [usageClass, count] of queries.entries()) {
      const added = count - key.queries[usageClass]
      charged[usageClass] += added
      unbooked += added
    }
    return { key: key.slot, queries, spentMicros: key.spentMicros + unbooked * QUERY_PRICE_MICROS }
  }

  return { charged, wake, stop, bookCharges, flush, drain }
}

import { usageEvents } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { LiveKey } from './live.ts'
import { appendUsage } from './meter-reading.ts'

/** Moves what the meter has counted into the ledger, a few milliseconds after the first charge that is not there yet. */
export class Flusher {
  private readonly ledger: Ledger
  private readonly flushMs: number
  private readonly after: (ms: number, run: () => void) => () => void
  private readonly onFlushed: (accounts: string[]) => void
  private waiting: LiveKey[] = []
  private cancel: (() => void) | null = null
  private stopped = false

  constructor(
    ledger: Ledger,
    flushMs: number,
    after: (ms: number, run: () => void) => () => void,
    onFlushed: (accounts: string[]) => void,
  ) {
    this.ledger = ledger
    this.flushMs = flushMs
    this.after = after
    this.onFlushed = onFlushed
  }

  /** Notes a key whose first charge since the last flush has just been made. An idle service sets no timer. */
  mark(key: LiveKey): void {
    key.dirty = true
    this.waiting.push(key)
    if (!this.stopped) this.cancel ??= this.after(this.flushMs, () => this.flush())
  }

  /** Appends nothing more: the ledger is closing or has failed. */
  stop(): void {
    this.stopped = true
    this.cancel?.()
    this.cancel = null
  }

  /** Appends the usage of all waiting keys to the next batch. */
  flush(): void {
    this.cancel?.()
    this.cancel = null
    if (this.waiting.length === 0 || this.stopped) return
    const { ledger, waiting } = this
    this.waiting = []
    ledger.timeline.follow()
    ledger.meter.setClock(ledger.timeline.nowMs())
    const rows: number[] = []
    for (const key of waiting) {
      key.dirty = false
      appendUsage(rows, key, ledger.meter.cells)
    }
    for (const event of usageEvents(rows)) ledger.append([event])
    // A failure is reported by the ledger itself; here it only means that nobody is told of these accounts.
    ledger.settled().then(
      () => this.onFlushed([...new Set(waiting.map(key => key.account.id))]),
      () => {},
    )
  }
}

import { announceSync } from '../platform/sync-channel.ts'
import type { Clock } from './clock.ts'

/** Entries appended this close together share a mark, so that a sync that hangs gathers a bounded number of marks. */
const MARK_MS = 20

export interface SyncState {
  /** Age of the oldest entry that is not synced; 0 when all are. */
  unsyncedMs: number
  /** Batches that were written and synced, the time that all of them took, and the longest. */
  syncs: number
  syncMsTotal: number
  syncMsMax: number
  /** True while the oldest entry has waited for longer than the bound. */
  isStalled: boolean
}

/**
 * Watches how old the entries are that were appended and are not synced yet. A disk that neither answers nor fails shows in
 * nothing else. Costs one comparison per append and one timer while anything waits.
 */
export class SyncWatch {
  readonly #clock: Clock
  readonly #unsyncedMsMax: number
  /** Called with true when the bound is exceeded and with false when a sync has returned. */
  readonly #onStall: (isStalled: boolean, unsyncedMs: number) => void
  /** Oldest first: entries up to `sequence` were appended at or after `sinceMs`. */
  readonly #marks: { sinceMs: number; sequence: number }[] = []
  #syncedMs = 0
  #cancel: (() => void) | null = null
  readonly #state = { syncs: 0, syncMsTotal: 0, syncMsMax: 0, isStalled: false }

  constructor(
    clock: Clock,
    unsyncedMsMax: number,
    onStall: (isStalled: boolean, unsyncedMs: number) => void,
  ) {
    this.#clock = clock
    this.#unsyncedMsMax = unsyncedMsMax
    this.#onStall = onStall
  }

  state(): SyncState {
    return { unsyncedMs: this.#ageMs(), ...this.#state }
  }

  appended(sequence: number): void {
    const nowMs = this.#clock.monotonicMs()
    const last = this.#marks.at(-1)
    if (last !== undefined && nowMs - last.sinceMs < MARK_MS) last.sequence = sequence
    else this.#marks.push({ sinceMs: nowMs, sequence })
    this.#watch()
  }

  /** Everything up to `sequence` has been synced. */
  synced(sequence: number): void {
    const [oldest] = this.#marks
    if (oldest === undefined) return
    this.#measure(oldest.sinceMs)
    const waitedMs = this.#ageMs()
    while (this.#marks.length > 0 && this.#marks[0].sequence <= sequence) this.#marks.shift()
    if (!this.#state.isStalled || this.#ageMs() >= this.#unsyncedMsMax) return
    this.#state.isStalled = false
    this.#watch()
    this.#onStall(false, waitedMs)
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#marks.length = 0
  }

  /** One batch is written at a time: it began when the previous one ended, or when its first entry was appended. */
  #measure(oldestMs: number): void {
    const nowMs = this.#clock.monotonicMs()
    const syncMs = nowMs - Math.max(oldestMs, this.#syncedMs)
    announceSync(syncMs)
    this.#syncedMs = nowMs
    this.#state.syncs++
    this.#state.syncMsTotal += syncMs
    this.#state.syncMsMax = Math.max(this.#state.syncMsMax, syncMs)
  }

  /** Sets the timer for the oldest entry, unless one runs. */
  #watch(): void {
    if (this.#marks.length === 0) return
    this.#cancel ??= this.#clock.after(this.#unsyncedMsMax - this.#ageMs(), () => this.#check())
  }

  /** Runs when the oldest entry of some moments ago would be too old, unless it has been synced meanwhile. */
  #check(): void {
    this.#cancel = null
    const ageMs = this.#ageMs()
    if (ageMs < this.#unsyncedMsMax) return this.#watch()
    this.#state.isStalled = true
    this.#onStall(true, ageMs)
  }

  #ageMs(): number {
    return this.#marks.length === 0 ? 0 : this.#clock.monotonicMs() - this.#marks[0].sinceMs
  }
}

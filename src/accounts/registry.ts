import { identityKey } from '../ledger/book/book.ts'
import { type AccountRecord, balanceMicros, type KeyRecord } from '../ledger/book/record.ts'
import { monthSpentMicros } from '../ledger/book/usage-row.ts'
import type { MeterFile } from '../ledger/meter/meter-file.ts'
import { ROW_WORDS } from '../ledger/meter/meter-layout.ts'
import { openWindows } from '../ledger/meter/meter-writer.ts'
import type { AccountStore } from './account-store.ts'
import { setCapLeft } from './charging/key-cap.ts'
import { KeyLines } from './key-lines.ts'
import {
  ACCOUNT,
  AVAILABLE,
  CAP,
  CAP_LEFT,
  ELSEWHERE,
  LIMITED,
  LIMITS_VERSION,
  PER_DAY,
  PER_HOUR,
  PER_MINUTE,
  WINDOWS_ROW,
} from './live/live-layout.ts'
import type { Line, LiveState } from './live/live-state.ts'
import { lock, unlock } from './live/lock.ts'
import type { RateLimits } from './types.ts'

/**
 * Accounts and keys that are durable, and only those: a key is found from the moment its creation is acknowledged. Brings the
 * live state up to what the ledger says of them, on the ledger thread.
 */
export class Registry {
  protected readonly store: Pick<AccountStore, 'book' | 'timeline'>
  readonly #live: LiveState
  protected readonly meter: MeterFile
  /** What the live state has of keys. */
  readonly keyLines: KeyLines

  /** Enters all that a start has recovered. Cost: about 200 ns for each account and key. */
  constructor(store: Pick<AccountStore, 'book' | 'timeline'>, meter: MeterFile, live: LiveState) {
    this.store = store
    this.meter = meter
    this.#live = live
    this.keyLines = new KeyLines(live)
    const { windowRows } = meter.made
    for (const record of store.book.slots) {
      // No other thread sees this memory yet.
      if (!live.rules.hasRoom) live.growRules()
      if (record.type === 'key') this.openKey(record, windowRows.get(record.slot))
      else this.openAccount(record, windowRows.get(record.slot))
    }
  }

  account(idOrEmail: string): AccountRecord | undefined {
    const { book } = this.store
    return this.#open(book.byEmail.get(idOrEmail.trim().toLowerCase()) ?? book.accounts.get(idOrEmail))
  }

  accountByIdentity(issuer: string, subject: string): AccountRecord | undefined {
    return this.#open(this.store.book.byIdentity.get(identityKey(issuer, subject)))
  }

  key(id: string): KeyRecord | undefined {
    return this.#open(this.store.book.keys.get(id))
  }

  /** The keys one of whose secrets may begin with `wanted`, some twice; null: all of them may. */
  keysLike(wanted: string): KeyRecord[] | null {
    const { book } = this.store
    const slots = this.keyLines.starts.slots(wanted)
    return slots?.map(slot => book.key(slot)) ?? null
  }

  /** How many accounts there are, with those on their way to the disk. */
  get size(): number {
    return this.store.book.accounts.size
  }

  /** Oldest first. */
  accounts(): AccountRecord[] {
    return [...this.store.book.accounts.values()].filter(record => this.#open(record) !== undefined)
  }

  /** Oldest first. */
  keysOf(account: AccountRecord): KeyRecord[] {
    return account.keys.filter(record => this.#open(record) !== undefined)
  }

  /** Opens an account whose events have become durable. Until now nothing has changed what the book says of its money. */
  openAccount(record: AccountRecord, windowsRow = 0): void {
    const { words, word, cells, cell } = this.line(record)
    cells[cell + this.balanceCell] = balanceMicros(record)
    words[word + WINDOWS_ROW] = windowsRow
    words[word + ACCOUNT] = record.slot + 1
    this.setLimits(record, record.limits)
  }

  openKey(record: KeyRecord, windowsRow = 0): void {
    this.renewCap(record, 0)
    this.keyLines.open(record, windowsRow)
  }

  /** Brings the present and the earlier secret of a key that was rolled to all threads. */
  renewSecrets(key: KeyRecord): void {
    this.keyLines.renewSecrets(key)
  }

  /** Where the balance is of an account that has just been opened: here, or elsewhere in a fleet. */
  protected get balanceCell(): number {
    return AVAILABLE
  }

  /** The balance of an account: what may still be charged, here and elsewhere. */
  availableMicros(account: AccountRecord): number {
    const { cells, cell } = this.line(account)
    return cells[cell + AVAILABLE] + cells[cell + ELSEWHERE]
  }

  /** Adds to what may be charged, or with a negative number takes from it. */
  addAvailable(account: AccountRecord, micros: number): void {
    this.locked(account, ({ cells, cell }) => {
      cells[cell + AVAILABLE] += micros
    })
  }

  /** Takes up to `micros` of what may be charged, and returns how much it was. */
  takeAvailable(account: AccountRecord, micros: number): number {
    return this.locked(account, ({ cells, cell }) => {
      const takenMicros = Math.min(cells[cell + AVAILABLE], micros)
      cells[cell + AVAILABLE] -= takenMicros
      return takenMicros
    })
  }

  setLimits(account: AccountRecord, limits: RateLimits | null): void {
    this.locked(account, ({ words, word }) => {
      words[word + LIMITED] = limits === null ? 0 : 1
      words[word + PER_MINUTE] = limits?.perMinute ?? -1
      words[word + PER_HOUR] = limits?.perHour ?? -1
      words[word + PER_DAY] = limits?.perDay ?? -1
      Atomics.add(words, word + LIMITS_VERSION, 1)
    })
  }

  /** The row of an account's or a key's windows in the meter; 0: none. */
  windowsRow(record: AccountRecord | KeyRecord): number {
    if (record.type === 'key') return this.keyLines.windowsRow(record)
    const { words, word } = this.line(record)
    return words[word + WINDOWS_ROW]
  }

  /** Gives an account or key a row for its windows, unless it has one. A row that somebody else was faster to give is as good. */
  async ensureWindows(record: AccountRecord | KeyRecord, takeRow: () => Promise<number>): Promise<void> {
    if (this.windowsRow(record) > 0) return
    const row = await takeRow()
    if (this.windowsRow(record) === 0) this.openWindows(record, row)
  }

  /** Makes an unused row of the meter that of the windows of an account or of a key. */
  openWindows(record: AccountRecord | KeyRecord, row: number): void {
    openWindows(this.meter.rows.words.subarray(row * ROW_WORDS, (row + 1) * ROW_WORDS), record)
    if (record.type === 'key') return this.keyLines.setWindowsRow(record, row)
    const line = this.line(record)
    line.words[line.word + WINDOWS_ROW] = row
  }

  /** Lets the next request with each key of the account be answered or refused, as the book says now. */
  renewStanding(account: AccountRecord): void {
    for (const key of this.keysOf(account)) this.keyLines.renewState(key)
  }

  /**
   * Computes what a key's monthly cap still allows from what the ledger knows and from the spend that it does not know yet.
   * The caller holds the lock of the account, unless the key is new.
   */
  renewCap(key: KeyRecord, aheadMicros: number): void {
    const { cells, cell } = this.line(key)
    const { capMicros } = key
    cells[cell + CAP] = capMicros ?? Number.POSITIVE_INFINITY
    if (capMicros === null) {
      cells[cell + CAP_LEFT] = Number.POSITIVE_INFINITY
      return
    }
    const nowMs = this.store.timeline.nowMs()
    setCapLeft(cells, cell, capMicros - monthSpentMicros(key, nowMs) - aheadMicros, nowMs)
  }

  /** Does `act` while no thread changes the account. It must neither throw nor wait. */
  locked<T>(account: AccountRecord, act: (line: Line) => T): T {
    const line = this.line(account)
    lock(this.#live.header, line.words, line.word, 0)
    const result = act(line)
    unlock(line.words, line.word)
    return result
  }

  line({ slot }: { slot: number }): Line {
    return this.#live.lineOf(slot)
  }

  /** The record, unless its creation is still on its way to the disk. */
  #open<R extends AccountRecord | KeyRecord>(record: R | undefined): R | undefined {
    if (record === undefined || record.slot >= this.#live.slots) return undefined
    const { words, word } = this.line(record)
    return words[word + ACCOUNT] === 0 ? undefined : record
  }
}

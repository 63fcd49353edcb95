/** The live state of a node of a fleet: balances are elsewhere until the node leases some of them. */

import { setCapLeft, UNKNOWN_CAP_MICROS } from '../accounts/charging/key-cap.ts'
import { clearWindow } from '../accounts/charging/leased-window.ts'
import { ACCOUNT, AVAILABLE, CAP, CAP_LEFT, ELSEWHERE, KEY_IDENTITY } from '../accounts/live/live-layout.ts'
import { Registry } from '../accounts/registry.ts'
import type { Book } from '../ledger/book/book.ts'
import { type AccountRecord, balanceMicros, type KeyRecord } from '../ledger/book/record.ts'
import { rowIdentity } from '../ledger/meter/meter-layout.ts'

export class FleetRegistry extends Registry {
  /** What is not leased of an account, after its leases have been recalled for a command that takes money. */
  free: { account: number; micros: number } | null = null
  /** Sequences of the newest changes of caps, by key. */
  readonly capChangedAt = new Map<number, number>()
  /** What was held of caps that have changed, to be returned. */
  droppedCaps: { account: number; key: number; micros: number }[] = []

  /** What the journal has of accounts and keys: the meter marks its rows as that says. Set before any other call. */
  journal: Book | null = null

  /** Marks the rows of a key that was rolled as the journal does, which knows only the secret that it was mirrored with. */
  markRows(slot: number): void {
    const record = this.journal?.slots[slot]
    if (record?.type !== 'key') return
    const { words, word } = this.line(record)
    words[word + KEY_IDENTITY] = rowIdentity(record)
  }

  override openWindows(record: AccountRecord | KeyRecord, row: number): void {
    super.openWindows(this.journal?.slots[record.slot] ?? record, row)
  }

  protected override get balanceCell(): number {
    return ELSEWHERE
  }

  override openAccount(record: AccountRecord, windowsRow = 0): void {
    if (this.isOpen(record)) return
    super.openAccount(record, windowsRow)
    if (windowsRow > 0) clearWindow(this.meter.rows, windowsRow)
  }

  override openKey(record: KeyRecord, windowsRow = 0): void {
    if (this.isOpen(record)) return
    super.openKey(record, windowsRow)
    if (windowsRow > 0) clearWindow(this.meter.rows, windowsRow)
  }

  /** The key's own limits have changed: what was leased under others is void. */
  renewOwnLimits(key: KeyRecord): void {
    const row = this.windowsRow(key)
    if (row > 0) this.locked(key.account, () => clearWindow(this.meter.rows, row))
  }

  /** Nothing: the node sees a credit when it applies its event, as every other node does. */
  override addAvailable(): void {}

  override takeAvailable(account: AccountRecord, micros: number): number {
    return this.free?.account === account.slot ? Math.min(this.free.micros, micros) : 0
  }

  /** Adds to the part of the balance that the node does not hold. */
  addElsewhere(account: AccountRecord, micros: number): void {
    this.locked(account, ({ cells, cell }) => {
      cells[cell + ELSEWHERE] = Math.max(0, cells[cell + ELSEWHERE] + micros)
    })
  }

  /** Sets what is elsewhere to what the fleet's book says, for an account that the node holds nothing of. */
  renewElsewhere(account: AccountRecord): void {
    this.locked(account, ({ cells, cell }) => {
      cells[cell + ELSEWHERE] = Math.max(0, balanceMicros(account) - cells[cell + AVAILABLE])
    })
  }

  /** Begins with nothing leased, as a start does: every balance, cap and window is elsewhere. */
  forgetLeases(): void {
    for (const account of this.accounts()) {
      const row = this.windowsRow(account)
      this.locked(account, ({ cells, cell }) => {
        cells[cell + AVAILABLE] = 0
        cells[cell + ELSEWHERE] = balanceMicros(account)
        if (row > 0) clearWindow(this.meter.rows, row)
        for (const key of account.keys) {
          if (key.capMicros !== null) this.renewCap(key)
          const keyRow = this.windowsRow(key)
          if (keyRow > 0) clearWindow(this.meter.rows, keyRow)
        }
      })
    }
    this.droppedCaps = []
  }

  override setLimits(account: AccountRecord, limits: AccountRecord['limits']): void {
    super.setLimits(account, limits)
    const row = this.windowsRow(account)
    if (row > 0) this.locked(account, () => clearWindow(this.meter.rows, row))
  }

  /** Leaves it to the database what the cap still allows. */
  override renewCap(key: KeyRecord): void {
    const { cells, cell } = this.line(key)
    const isCapped = key.capMicros !== null
    const micros = cells[cell + CAP_LEFT]
    if (micros > 0 && Number.isFinite(micros))
      this.droppedCaps.push({ account: key.account.slot, key: key.slot, micros })
    cells[cell + CAP] = isCapped ? UNKNOWN_CAP_MICROS : 0
    if (isCapped) setCapLeft(cells, cell, 0, this.store.timeline.nowMs())
    else cells[cell + CAP_LEFT] = Number.POSITIVE_INFINITY
  }

  private isOpen(record: AccountRecord | KeyRecord): boolean {
    const { words, word } = this.line(record)
    return words[word + ACCOUNT] !== 0
  }
}

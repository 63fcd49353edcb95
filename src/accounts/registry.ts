import { identityKey } from '../ledger/book/book.ts'
import { type AccountRecord, balanceMicros, type KeyRecord } from '../ledger/book/record.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { slotCell } from '../ledger/meter/meter-layout.ts'
import { renewCap } from './charging/key-cap.ts'
import { LiveAccount, LiveKey } from './charging/live.ts'

/**
 * Accounts and keys that are durable, and only those: a key is found from the moment its creation is acknowledged. What a
 * start has recovered becomes live when it is first asked for, so a start does not pay for keys that nobody uses.
 */
export class Registry {
  readonly #ledger: Ledger
  /** Slots below this were recovered, so they are durable, and the meter has them. */
  readonly #recoveredSlots: number
  /** By slot. */
  readonly #accounts: (LiveAccount | undefined)[]
  readonly #keys: (LiveKey | undefined)[]

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#recoveredSlots = ledger.book.slots.length
    this.#accounts = new Array(this.#recoveredSlots)
    this.#keys = new Array(this.#recoveredSlots)
  }

  account(idOrEmail: string): LiveAccount | undefined {
    const { book } = this.#ledger
    const record = book.byEmail.get(idOrEmail.trim().toLowerCase()) ?? book.accounts.get(idOrEmail)
    return record && this.#liveAccount(record)
  }

  accountByIdentity(issuer: string, subject: string): LiveAccount | undefined {
    const record = this.#ledger.book.byIdentity.get(identityKey(issuer, subject))
    return record && this.#liveAccount(record)
  }

  key(id: string): LiveKey | undefined {
    const record = this.#ledger.book.keys.get(id)
    return record && this.#liveKey(record)
  }

  keyByHash(hash: string): LiveKey | undefined {
    const record = this.#ledger.book.keys.byHash(hash)
    return record && this.#liveKey(record)
  }

  /** Oldest first. */
  accounts(): LiveAccount[] {
    return [...this.#ledger.book.accounts.values()].flatMap(record => this.#liveAccount(record) ?? [])
  }

  /** Oldest first. */
  keysOf(account: LiveAccount): LiveKey[] {
    return account.record.keys.flatMap(record => this.#liveKey(record) ?? [])
  }

  /** Opens an account whose events have become durable. */
  openAccount(record: AccountRecord): LiveAccount {
    this.#ledger.meter.claim(record.slot, record.id)
    return this.#addAccount(record)
  }

  openKey(record: KeyRecord): LiveKey {
    this.#ledger.meter.claim(record.slot, record.id)
    const account = this.#liveAccount(record.account)
    if (account === undefined) throw new Error(`key ${record.id} has no account`)
    return this.#addKey(record, account)
  }

  #liveAccount(record: AccountRecord): LiveAccount | undefined {
    const live = this.#accounts[record.slot]
    return live ?? (record.slot < this.#recoveredSlots ? this.#addAccount(record) : undefined)
  }

  #liveKey(record: KeyRecord): LiveKey | undefined {
    const live = this.#keys[record.slot]
    if (live !== undefined || record.slot >= this.#recoveredSlots) return live
    const account = this.#liveAccount(record.account)
    return account && this.#addKey(record, account)
  }

  /** All money of an account moves through its live half, so until now nothing has changed what the book says. */
  #addAccount(record: AccountRecord): LiveAccount {
    const account = new LiveAccount(record, slotCell(record.slot), balanceMicros(record))
    this.#accounts[record.slot] = account
    return account
  }

  #addKey(record: KeyRecord, account: LiveAccount): LiveKey {
    const key = new LiveKey(record, account, slotCell(record.slot))
    this.#keys[record.slot] = key
    renewCap(key, this.#ledger.meter.cells, this.#ledger.timeline.nowMs())
    return key
  }
}

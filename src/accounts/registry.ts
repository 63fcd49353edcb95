import { identityKey } from '../ledger/book/book.ts'
import { type AccountRecord, balanceMicros, type KeyRecord } from '../ledger/book/record.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { slotCell } from '../ledger/meter/meter-layout.ts'
import { renewCap } from './charging/key-cap.ts'
import { LiveAccount, LiveKey } from './charging/live.ts'

/** Accounts and keys that are durable, and only those: a key is found from the moment its creation is acknowledged. */
export class Registry {
  readonly accounts = new Map<string, LiveAccount>()
  readonly keys = new Map<string, LiveKey>()
  readonly byHash = new Map<string, LiveKey>()
  readonly #ledger: Ledger

  /** Takes over the recovered book, whose slots the meter already has. */
  constructor(ledger: Ledger) {
    this.#ledger = ledger
    for (const record of ledger.book.slots) {
      if (record.type === 'account') this.#addAccount(record, balanceMicros(record))
      else this.#addKey(record)
    }
  }

  account(idOrEmail: string): LiveAccount | undefined {
    const id = this.#ledger.book.byEmail.get(idOrEmail.trim().toLowerCase())?.id ?? idOrEmail
    return this.accounts.get(id)
  }

  accountByIdentity(issuer: string, subject: string): LiveAccount | undefined {
    const record = this.#ledger.book.byIdentity.get(identityKey(issuer, subject))
    return record && this.accounts.get(record.id)
  }

  /** Oldest first. */
  keysOf(account: LiveAccount): LiveKey[] {
    return account.record.keys.flatMap(({ id }) => this.keys.get(id) ?? [])
  }

  /** Opens an account whose events have become durable. */
  openAccount(record: AccountRecord, availableMicros: number): LiveAccount {
    this.#ledger.meter.claim(record.slot, record.id)
    return this.#addAccount(record, availableMicros)
  }

  openKey(record: KeyRecord): LiveKey {
    this.#ledger.meter.claim(record.slot, record.id)
    return this.#addKey(record)
  }

  #addAccount(record: AccountRecord, availableMicros: number): LiveAccount {
    const account = new LiveAccount(record, slotCell(record.slot), availableMicros)
    this.accounts.set(account.id, account)
    return account
  }

  #addKey(record: KeyRecord): LiveKey {
    const account = this.accounts.get(record.account.id)
    if (account === undefined) throw new Error(`key ${record.id} has no account`)
    const key = new LiveKey(record, account, slotCell(record.slot))
    this.keys.set(key.id, key)
    this.byHash.set(record.hash, key)
    renewCap(key, this.#ledger.meter.cells, this.#ledger.timeline.nowMs())
    return key
  }
}

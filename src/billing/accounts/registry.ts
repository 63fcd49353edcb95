import { type Book, identityKey } from '../ledger/book/book.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import type { Listeners } from './audited-changes.ts'
import type { RequestLease } from './charging/charging.ts'
import { writeKey } from './live/key-rules.ts'
import { ACCOUNT, LIMITED, VERSION } from './live/live-layout.ts'
import type { Line, LiveState } from './live/live-state.ts'
import { lock, unlock } from './live/lock.ts'

/** Source of refills for the counters of the live state: all that is left, or leases of a fleet (`HeldCounters`). */
export interface Refills {
  readonly book: Book
  /** Fills the counter of the balance or cap of an account or key that is new or was loaded. */
  open(record: AccountRecord | KeyRecord): void
  /** Refills the windows after the limits of an account or key changed. */
  setLimits(record: AccountRecord | KeyRecord): void
  setCap(key: KeyRecord): void
  /** Adds a committed credit to the balance. In a fleet, also takes a debit, which is negative. */
  credit(account: AccountRecord, micros: number): void
}

/** Durable accounts and keys. Updates the live state from the book, on the ledger thread. */
export class Registry {
  readonly #refills: Refills
  readonly #live: LiveState

  constructor(refills: Refills, live: LiveState) {
    this.#refills = refills
    this.#live = live
    for (const record of refills.book.slots) {
      if (record.type === 'key') this.#openKey(record)
      else this.#openAccount(record)
    }
  }

  account(idOrEmail: string): AccountRecord | undefined {
    const { book } = this.#refills
    return this.#ifDurable(book.byEmail.get(idOrEmail.trim().toLowerCase()) ?? book.accounts.get(idOrEmail))
  }

  accountByIdentity(issuer: string, subject: string): AccountRecord | undefined {
    return this.#ifDurable(this.#refills.book.byIdentity.get(identityKey(issuer, subject)))
  }

  key(id: string): KeyRecord | undefined {
    return this.#ifDurable(this.#refills.book.keys.get(id))
  }

  keys(): KeyRecord[] {
    return [...this.#refills.book.keys.values()].filter(record => this.#ifDurable(record) !== undefined)
  }

  accounts(): AccountRecord[] {
    return [...this.#refills.book.accounts.values()].filter(record => this.#ifDurable(record) !== undefined)
  }

  keysOf(account: AccountRecord): KeyRecord[] {
    return account.keys.filter(record => this.#ifDurable(record) !== undefined)
  }

  /** Updates the live state after an event. A debit took its money before. */
  renew(event: LedgerEvent): void {
    const { book } = this.#refills
    switch (event.kind) {
      case 'account':
        return this.#openAccount(book.account(event.slot))
      case 'key':
        return this.#openKey(book.key(event.slot))
      case 'credit':
        return this.#refills.credit(book.account(event.account), event.micros - event.debtPaidMicros)
      case 'cap':
        return this.#refills.setCap(book.key(event.key))
      case 'limits':
        return this.#setLimits(book.account(event.account))
      case 'suspended':
      case 'resumed':
      case 'closed':
        for (const key of this.keysOf(book.account(event.account))) writeKey(this.#live, key)
        return
      case 'rules':
        this.#refills.setLimits(book.key(event.key))
        return writeKey(this.#live, book.key(event.key))
      case 'revoke':
      case 'switch':
      case 'overlap':
      case 'roll':
        return writeKey(this.#live, book.key(event.key))
    }
  }

  #openAccount(record: AccountRecord): void {
    const { words, word } = this.#live.lineOf(record.slot)
    this.#refills.open(record)
    if (record.limits !== null) this.#setLimits(record)
    words[word + ACCOUNT] = record.slot + 1
  }

  #openKey(record: KeyRecord): void {
    this.#refills.open(record)
    if (record.rules !== null) this.#refills.setLimits(record)
    writeKey(this.#live, record)
  }

  #setLimits(account: AccountRecord): void {
    this.#refills.setLimits(account)
    withLock(this.#live, account, ({ words, word }) => {
      words[word + LIMITED] = account.limits === null ? 0 : 1
      Atomics.add(words, word + VERSION, 1)
    })
  }

  /** Returns the record; undefined until its creation is durable. */
  #ifDurable<R extends AccountRecord | KeyRecord>(record: R | undefined): R | undefined {
    if (record === undefined || record.slot >= this.#live.share.slots) return undefined
    const { words, word } = this.#live.lineOf(record.slot)
    return words[word + ACCOUNT] === 0 ? undefined : record
  }
}

/** Runs `act` under the account's lock. It must neither throw nor wait. */
export function withLock<T>(live: LiveState, { slot }: AccountRecord, act: (line: Line) => T): T {
  const line = live.lineOf(slot)
  lock(live.header, line.words, line.word, 0)
  const result = act(line)
  unlock(line.words, line.word)
  return result
}

/** Place where accounts live: the ledger of this process (`LedgerStore`), or a fleet (`FleetNode`). */
export interface AccountStore {
  readonly book: Book
  readonly timeline: { nowMs(): number }
  readonly registry: Registry
  /** Listeners of the ids of changed and charged accounts. */
  readonly listeners: Listeners<string[]>

  /** Takes up to `micros` of the balance for a debit. Returns the taken micros. @throws StaleError if the balance is about to change */
  take(account: AccountRecord, micros: number): number
  /** Undoes `take` after a failed commit. */
  untake(account: AccountRecord, micros: number): void
  /** Returns the balance, here and elsewhere. */
  available(account: AccountRecord): number
  /** Returns the queries of a key by usage class, with usage that the book does not have yet. Exact while the account's lock is held. */
  queries(key: KeyRecord): readonly number[]
  /** Called when charges of keys have come from the meter to the ledger of this process. */
  booked(keys: readonly KeyRecord[]): void

  /** Commits one transaction. Resolves when book and live state have it. The ledger's book has it at once. @throws StaleError */
  record(...events: LedgerEvent[]): Promise<void>
  /** Reads the newest commits of a fleet into the book. @throws AccountError UNAVAILABLE */
  catchUp(): Promise<void>
  untilDurable(): Promise<void>
  /** Runs a command, and again on a newer book after a `StaleError`. @param debitedAccount account whose balance the command lowers */
  run<T>(command: () => Promise<T>, debitedAccount?: string): Promise<T>

  /** Asks for more of the counters of a waiting request. */
  readonly lease: RequestLease
  /** Called when all charges are in the ledger, before it is closed. */
  close(): Promise<void>
}

/** Thrown when another node committed meanwhile, or a credit is not durable yet, so that a command must check again. */
export class StaleError extends Error {}

/** Returns the spend that the book does not have yet. */
export function unbookedMicros(store: Pick<AccountStore, 'queries'>, key: KeyRecord): number {
  const queries = store.queries(key)
  if (queries === key.queries) return 0
  return queries.reduce((sum, count, usage) => sum + count - key.queries[usage], 0) * QUERY_PRICE_MICROS
}

export function unbookedMicrosOf(store: Pick<AccountStore, 'queries'>, { keys }: AccountRecord): number {
  return keys.reduce((micros, key) => micros + unbookedMicros(store, key), 0)
}

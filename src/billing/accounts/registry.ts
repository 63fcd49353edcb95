import { type Book, identityKey } from '../ledger/book/book.ts'
import { type AccountRecord, balanceMicros, type KeyRecord, monthSpentMicros } from '../ledger/book/record.ts'
import type { LedgerEvent, RateLimits } from '../ledger/event.ts'
import { setCapLeft } from './charging/key-cap.ts'
import { type KeyLines, keyLines } from './live/key-rules.ts'
import { ACCOUNT, AVAILABLE, CAP, LIMITS, LIMITS_VERSION, writeLimits } from './live/live-layout.ts'
import type { Line, LiveState } from './live/live-state.ts'
import { lock, unlock } from './live/lock.ts'
import type { UsageAhead } from './metered-usage.ts'

export interface DatedBook {
  readonly book: Book
  readonly timeline: { nowMs(): number }
}

/** Balances and caps in the live state: the ledger's, or leases of a fleet. */
export interface Balances {
  open(account: AccountRecord): void
  /** Returns the balance, here and elsewhere. */
  available(account: AccountRecord): number
  add(account: AccountRecord, micros: number): void
  /** Takes up to `micros` of the balance, also of credits that are not durable yet. Returns the taken micros. */
  take(account: AccountRecord, micros: number): number
  /** Recomputes the rest of a key's cap. The caller holds the account's lock, unless the key is new. */
  renewCap(key: KeyRecord): void
  resetAdmissions(record: AccountRecord | KeyRecord): void
}

/** Durable accounts and keys. Updates the live state from the book, on the ledger thread. */
export class Registry {
  readonly #store: DatedBook
  readonly #live: LiveState
  readonly balances: Balances
  readonly keyLines: KeyLines

  constructor(store: DatedBook, live: LiveState, balances: Balances) {
    this.#store = store
    this.#live = live
    this.balances = balances
    this.keyLines = keyLines(live)
    for (const record of store.book.slots) {
      if (record.type === 'key') this.#openKey(record)
      else this.#openAccount(record)
    }
  }

  account(idOrEmail: string): AccountRecord | undefined {
    const { book } = this.#store
    return this.#ifDurable(book.byEmail.get(idOrEmail.trim().toLowerCase()) ?? book.accounts.get(idOrEmail))
  }

  accountByIdentity(issuer: string, subject: string): AccountRecord | undefined {
    return this.#ifDurable(this.#store.book.byIdentity.get(identityKey(issuer, subject)))
  }

  key(id: string): KeyRecord | undefined {
    return this.#ifDurable(this.#store.book.keys.get(id))
  }

  keys(): KeyRecord[] {
    return [...this.#store.book.keys.values()].filter(record => this.#ifDurable(record) !== undefined)
  }

  accounts(): AccountRecord[] {
    return [...this.#store.book.accounts.values()].filter(record => this.#ifDurable(record) !== undefined)
  }

  keysOf(account: AccountRecord): KeyRecord[] {
    return account.keys.filter(record => this.#ifDurable(record) !== undefined)
  }

  /** Updates the live state after an event that changes neither money nor a cap. */
  renew(event: LedgerEvent): void {
    const { book } = this.#store
    switch (event.kind) {
      case 'account':
        return this.#openAccount(book.account(event.slot))
      case 'key':
        return this.#openKey(book.key(event.slot))
      case 'limits': {
        const account = book.account(event.account)
        this.#writeLimits(account, event.limits)
        return this.balances.resetAdmissions(account)
      }
      case 'suspended':
      case 'resumed':
      case 'closed':
        for (const key of this.keysOf(book.account(event.account))) this.keyLines.renewState(key)
        return
      case 'revoke':
        return this.keyLines.renewState(book.key(event.key))
      case 'rules':
        this.balances.resetAdmissions(book.key(event.key))
        return this.keyLines.renewRules(book.key(event.key))
      case 'overlap':
        return this.keyLines.renewRules(book.key(event.key))
      case 'roll':
        return this.keyLines.renewSecrets(book.key(event.key))
    }
  }

  #openAccount(record: AccountRecord): void {
    const { words, word } = this.#live.lineOf(record.slot)
    this.balances.open(record)
    words[word + ACCOUNT] = record.slot + 1
    this.#writeLimits(record, record.limits)
  }

  #openKey(record: KeyRecord): void {
    this.balances.renewCap(record)
    this.keyLines.open(record)
  }

  #writeLimits(account: AccountRecord, limits: RateLimits | null): void {
    this.withLock(account, ({ words, word }) => {
      writeLimits(words, word + LIMITS, limits)
      Atomics.add(words, word + LIMITS_VERSION, 1)
    })
  }

  withLock<T>(account: AccountRecord, act: (line: Line) => T): T {
    return withLock(this.#live, account, act)
  }

  /** Returns the record; undefined until its creation is durable. */
  #ifDurable<R extends AccountRecord | KeyRecord>(record: R | undefined): R | undefined {
    if (record === undefined || record.slot >= this.#live.share.slots) return undefined
    const { words, word } = this.#live.lineOf(record.slot)
    return words[word + ACCOUNT] === 0 ? undefined : record
  }
}

/** Returns the balances of a ledger: what the book has, less the `usage` that only the meter has. */
export function ownBalances(live: LiveState, timeline: { nowMs(): number }, usage: UsageAhead): Balances {
  /** Micros that debits took from credits on their way to the disk. */
  const takenEarly = new Map<AccountRecord, number>()
  return {
    open(account) {
      const { cells, cell } = live.lineOf(account.slot)
      cells[cell + AVAILABLE] = balanceMicros(account)
    },
    available({ slot }) {
      const { cells, cell } = live.lineOf(slot)
      return cells[cell + AVAILABLE]
    },
    add(account, micros) {
      const early = Math.min(takenEarly.get(account) ?? 0, micros)
      changeEarly(account, -early)
      withLock(live, account, ({ cells, cell }) => {
        cells[cell + AVAILABLE] += micros - early
      })
    },
    take(account, micros) {
      return withLock(live, account, ({ cells, cell }) => {
        const takenMicros = Math.min(balanceMicros(account) - usage.aheadOf(account), micros)
        const available = Math.min(cells[cell + AVAILABLE], takenMicros)
        cells[cell + AVAILABLE] -= available
        changeEarly(account, takenMicros - available)
        return takenMicros
      })
    },
    renewCap(key) {
      const { cells, cell } = live.lineOf(key.slot)
      const nowMs = timeline.nowMs()
      cells[cell + CAP] = key.capMicros ?? Number.POSITIVE_INFINITY
      const spentMicros = key.capMicros === null ? 0 : monthSpentMicros(key, nowMs) + usage.aheadMicros(key)
      setCapLeft(cells, cell, cells[cell + CAP] - spentMicros, nowMs)
    },
    resetAdmissions() {},
  }

  function changeEarly(account: AccountRecord, micros: number): void {
    const early = (takenEarly.get(account) ?? 0) + micros
    if (early === 0) takenEarly.delete(account)
    else takenEarly.set(account, early)
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

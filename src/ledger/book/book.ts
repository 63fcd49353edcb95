/** The book: what the ledger's events add up to. Replay, the running service, snapshots and proofs all share it. */
import { type AdjustEvent, type CreditEvent, type LedgerEvent, USAGE_ROW, type UsageEvent } from '../event.ts'
import {
  type AccountRecord,
  balanceMicros,
  type Entry,
  type KeyRecord,
  newAccountRecord,
  newKeyRecord,
} from './record.ts'
import { applyUsageRow } from './usage-row.ts'

export class Book {
  /** Accounts and keys together, by slot. */
  readonly slots: (AccountRecord | KeyRecord)[] = []
  readonly accounts = new Map<string, AccountRecord>()
  readonly byEmail = new Map<string, AccountRecord>()
  readonly byIdentity = new Map<string, AccountRecord>()
  readonly keys = new Map<string, KeyRecord>()
  /** Every payment reference ever used, with what it did. */
  readonly references = new Map<string, { account: AccountRecord; entry: Entry }>()

  /**
   * Applies one transaction: all of its events or none. Several events must open an account and concern only that one,
   * so that removing it undoes them. @throws Error as `apply`; the book is then as it was
   */
  transact(events: readonly LedgerEvent[], timeMs: number, sequence: number): void {
    const [first, ...rest] = events
    if (first === undefined) throw new Error('a transaction has at least one event')
    if (rest.length > 0 && !isOpening(first, rest)) {
      throw new Error('a transaction of several events opens one account and concerns only that one')
    }
    this.apply(first, timeMs, sequence)
    try {
      for (const event of rest) this.apply(event, timeMs, sequence)
    } catch (error) {
      this.#removeLastAccount()
      throw error
    }
  }

  /**
   * Applies one event, or changes nothing. @throws Error when it contradicts the book: an event of a slot that does not
   * exist, a repeated id, usage beyond the balance. From a sound file, that is a bug or a forged ledger, never a crash's
   * trace.
   */
  apply(event: LedgerEvent, timeMs: number, sequence: number): void {
    switch (event.kind) {
      case 'open':
        return
      case 'account':
        return this.addAccount(newAccountRecord(event.slot, event.id, event.email, timeMs))
      case 'identity':
        return this.#addIdentity(this.account(event.account), event.issuer, event.subject)
      case 'key':
        return this.addKey(newKeyRecord(event, this.account(event.account), timeMs))
      case 'rename':
        this.key(event.key).label = event.label
        return
      case 'revoke':
        return revoke(this.key(event.key), timeMs)
      case 'cap':
        this.key(event.key).capMicros = event.micros
        return
      case 'limits':
        this.account(event.account).limits = event.limits
        return
      case 'profile':
        this.account(event.account).lowBalanceMicros = event.lowBalanceMicros
        return
      case 'credit':
        return this.#enter(this.account(event.account), creditEntry(event, timeMs, sequence))
      case 'adjust':
        return this.#enter(this.account(event.account), adjustEntry(event, timeMs, sequence))
      case 'usage':
        return this.#usage(event, timeMs)
      default:
        event satisfies never
        throw new Error(`unknown kind of event ${JSON.stringify((event as LedgerEvent).kind)}`)
    }
  }

  account(slot: number): AccountRecord {
    const record = this.slots[slot]
    if (record?.type !== 'account') throw new Error(`slot ${slot} is not an account`)
    return record
  }

  key(slot: number): KeyRecord {
    const record = this.slots[slot]
    if (record?.type !== 'key') throw new Error(`slot ${slot} is not a key`)
    return record
  }

  /** Also restores a record from a snapshot, in the order of slots. */
  addAccount(record: AccountRecord): void {
    this.#expectSlot(record.slot)
    if (this.accounts.has(record.id) || this.byEmail.has(record.email)) {
      throw new Error(`account ${record.id} or its email opened twice`)
    }
    this.slots.push(record)
    this.accounts.set(record.id, record)
    this.byEmail.set(record.email, record)
    for (const { issuer, subject } of record.identities)
      this.byIdentity.set(identityKey(issuer, subject), record)
    for (const entry of record.entries) this.references.set(entry.reference, { account: record, entry })
  }

  addKey(record: KeyRecord): void {
    this.#expectSlot(record.slot)
    if (this.keys.has(record.id)) throw new Error(`key ${record.id} created twice`)
    this.slots.push(record)
    this.keys.set(record.id, record)
    record.account.keys.push(record)
    if (record.revokedMs === 0) record.account.activeKeys++
  }

  #addIdentity(account: AccountRecord, issuer: string, subject: string): void {
    const key = identityKey(issuer, subject)
    const owner = this.byIdentity.get(key)
    if (owner === account) return
    if (owner !== undefined) throw new Error(`a sign-in of account ${owner.id} linked to ${account.id}`)
    this.byIdentity.set(key, account)
    account.identities.push({ issuer, subject })
  }

  #enter(account: AccountRecord, entry: Entry): void {
    if (this.references.has(entry.reference)) throw new Error(`reference ${entry.reference} used twice`)
    expectNotNegative(account, balanceMicros(account) + entry.balanceMicros, 'balance')
    expectNotNegative(account, account.debtMicros + entry.debtMicros, 'debt')
    account.creditedMicros += entry.balanceMicros
    account.debtMicros += entry.debtMicros
    account.entries.push(entry)
    this.references.set(entry.reference, { account, entry })
  }

  /** Takes all spends first, since only they can be refused, and the counts once all of them have passed. */
  #usage({ rows }: UsageEvent, timeMs: number): void {
    const addedMicros: number[] = []
    try {
      for (let row = 0; row < rows.length; row += USAGE_ROW) {
        addedMicros.push(spend(this.key(rows[row]), rows[row + USAGE_ROW - 1]))
      }
    } catch (error) {
      for (const [index, micros] of addedMicros.entries())
        addSpent(this.key(rows[index * USAGE_ROW]), -micros)
      throw error
    }
    for (let row = 0, index = 0; row < rows.length; row += USAGE_ROW, index++) {
      applyUsageRow(this.slots[rows[row]] as KeyRecord, rows, row, addedMicros[index], timeMs)
    }
  }

  /** Undoes an opening: the account has no keys yet. */
  #removeLastAccount(): void {
    const record = this.account(this.slots.length - 1)
    this.slots.pop()
    this.accounts.delete(record.id)
    this.byEmail.delete(record.email)
    for (const { issuer, subject } of record.identities) this.byIdentity.delete(identityKey(issuer, subject))
    for (const { reference } of record.entries) this.references.delete(reference)
  }

  #expectSlot(slot: number): void {
    if (slot !== this.slots.length) throw new Error(`slot ${slot} follows slot ${this.slots.length - 1}`)
  }
}

/** The parts cannot be confused: neither contains a line break. */
export function identityKey(issuer: string, subject: string): string {
  return `${issuer}\n${subject}`
}

function isOpening(first: LedgerEvent, rest: readonly LedgerEvent[]): boolean {
  return (
    first.kind === 'account' &&
    rest.every(event => 'account' in event && event.kind !== 'key' && event.account === first.slot)
  )
}

function revoke(key: KeyRecord, timeMs: number): void {
  if (key.revokedMs !== 0) return
  key.revokedMs = timeMs
  key.account.activeKeys--
}

function creditEntry(event: CreditEvent, timeMs: number, sequence: number): Entry {
  const { credit: kind, micros, debtPaidMicros, reference, note } = event
  const gainMicros = micros - debtPaidMicros
  return { sequence, timeMs, kind, balanceMicros: gainMicros, debtMicros: -debtPaidMicros, reference, note }
}

function adjustEntry(event: AdjustEvent, timeMs: number, sequence: number): Entry {
  const { adjust: kind, micros, takenMicros, reference, note } = event
  const debtMicros = micros - takenMicros
  return { sequence, timeMs, kind, balanceMicros: -takenMicros, debtMicros, reference, note }
}

/** Brings the spend of a key and its account up to `spentMicros` and returns by how much, or changes nothing and throws. */
function spend(key: KeyRecord, spentMicros: number): number {
  const addedMicros = Math.max(0, spentMicros - key.spentMicros)
  expectNotNegative(key.account, balanceMicros(key.account) - addedMicros, 'balance')
  addSpent(key, addedMicros)
  return addedMicros
}

function addSpent(key: KeyRecord, micros: number): void {
  key.spentMicros += micros
  key.account.spentMicros += micros
}

function expectNotNegative(account: AccountRecord, micros: number, what: string): void {
  if (micros < 0 || !Number.isSafeInteger(micros)) {
    throw new Error(`account ${account.id} would have a ${what} of ${micros} micros`)
  }
}

/** The book: what the ledger's events add up to. Replay, the running service, snapshots and proofs all share it. */
import type { AccountEvent, ClosedEvent, KeyEvent, LedgerEvent, StandingEvent, UsageEvent } from '../event.ts'
import { nextUsageRow } from '../usage-rows.ts'
import {
  ACCOUNT_CREDITED_MICROS,
  ACCOUNT_PLUS_1,
  ACCOUNT_SPENT_MICROS,
  Cells,
  rowOf,
  SPENT_MICROS,
} from './cells.ts'
import { adjustEntry, creditEntry } from './entries.ts'
import { endOverlap, revoke, setRules } from './key-changes.ts'
import { KeyIndex } from './key-index.ts'
import { Memberships } from './memberships.ts'
import { AccountRecord, balanceMicros, type Entry, KeyRecord } from './record.ts'
import { Texts } from './texts.ts'
import { applyUsageRow } from './usage-row.ts'

export class Book {
  /** Accounts and keys together, by slot. */
  readonly slots: (AccountRecord | KeyRecord)[] = []
  readonly accounts = new Map<string, AccountRecord>()
  readonly byEmail = new Map<string, AccountRecord>()
  readonly byIdentity = new Map<string, AccountRecord>()
  readonly keys = new KeyIndex(this.slots)
  /** What the records are made of: numbers, and the texts of keys. */
  readonly cells = new Cells()
  readonly texts = new Texts()
  /** Every payment reference ever used, with what it did. */
  readonly references = new Map<string, { account: AccountRecord; entry: Entry }>()
  readonly memberships = new Memberships()

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
        return this.#openAccount(event, timeMs)
      case 'identity':
        return this.#addIdentity(this.account(event.account), event.issuer, event.subject)
      case 'key':
        return this.#createKey(event, timeMs)
      case 'rename':
        return this.key(event.key).rename(event.label, this.texts)
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
      case 'suspended':
      case 'resumed':
        return setStanding(this.account(event.account), event, timeMs)
      case 'closed':
        return this.#close(this.account(event.account), event, timeMs, sequence)
      case 'invited':
        return this.memberships.invite(this.account(event.account), event, timeMs)
      case 'uninvited':
        return this.memberships.withdraw(this.account(event.account), event.invitation)
      case 'member':
        return this.memberships.change(this.account(event.account), this.account(event.person), event)
      case 'usage':
        return this.#usage(event, timeMs)
      case 'rules':
        return setRules(this.key(event.key), event)
      case 'roll':
        return this.key(event.key).roll(event.start, event.hash, event.untilMs, this.texts)
      case 'overlap':
        return endOverlap(this.key(event.key), event.untilMs)
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

  #openAccount({ slot, id, email }: AccountEvent, createdMs: number): void {
    this.expectSlot(slot)
    this.addAccount(
      new AccountRecord(this.cells, { slot, id, email, createdMs, identities: [], entries: [] }),
    )
  }

  #createKey({ slot, id, account, label, start, hash }: KeyEvent, createdMs: number): void {
    this.expectSlot(slot)
    this.texts.keep(id, label, start, hash)
    this.addKey(new KeyRecord(this.cells, this.texts, slot, this.account(account), createdMs))
  }

  /** Adds the record of the next slot, also from a snapshot. @throws Error when its id or its email is taken */
  addAccount(record: AccountRecord): void {
    if (this.accounts.has(record.id) || this.byEmail.has(record.email)) {
      throw new Error(`account ${record.id} or its email opened twice`)
    }
    this.slots.push(record)
    this.accounts.set(record.id, record)
    this.byEmail.set(record.email, record)
    for (const { issuer, subject } of record.identities)
      this.byIdentity.set(identityKey(issuer, subject), record)
    for (const entry of record.entries) this.references.set(entry.reference, { account: record, entry })
    this.memberships.restore(record)
  }

  /** As `addAccount`. @throws Error when its id is taken */
  addKey(record: KeyRecord): void {
    if (this.keys.hasIdOf(record)) throw new Error(`key ${record.id} created twice`)
    this.slots.push(record)
    this.keys.add(record)
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

  #close(account: AccountRecord, event: ClosedEvent, timeMs: number, sequence: number): void {
    if (account.standing?.state === 'closed') throw new Error(`account ${account.id} closed twice`)
    const { takenMicros, reference, reason, by } = event
    const effect = { balanceMicros: -takenMicros, debtMicros: 0, reference, note: reason }
    this.#enter(account, { sequence, timeMs, kind: 'closed', ...effect })
    account.standing = { state: 'closed', sinceMs: timeMs, reason, by }
  }

  /** Takes all spends first, since only they can be refused, and the counts once all of them have passed. */
  #usage({ rows }: UsageEvent, timeMs: number): void {
    const addedMicros: number[] = []
    try {
      for (let row = 0; row < rows.length; ) {
        const next = nextUsageRow(rows, row)
        addedMicros.push(this.#spend(rows[row], rows[next - 1]))
        row = next
      }
    } catch (error) {
      let row = 0
      for (const micros of addedMicros) {
        this.#addSpent(rows[row], -micros)
        row = nextUsageRow(rows, row)
      }
      throw error
    }
    let row = 0
    for (const micros of addedMicros) {
      applyUsageRow(this, rows, row, micros, timeMs)
      row = nextUsageRow(rows, row)
    }
  }

  /** Brings the spend of a key and its account up to `spentMicros` and returns by how much, or changes nothing and throws. */
  #spend(slot: number, spentMicros: number): number {
    if (!this.#isKey(slot)) throw new Error(`slot ${slot} is not a key`)
    const addedMicros = Math.max(0, spentMicros - this.cells.of(slot)[rowOf(slot) + SPENT_MICROS])
    const account = this.cells.of(slot)[rowOf(slot) + ACCOUNT_PLUS_1] - 1
    const cells = this.cells.of(account)
    const row = rowOf(account)
    const leftMicros = cells[row + ACCOUNT_CREDITED_MICROS] - cells[row + ACCOUNT_SPENT_MICROS] - addedMicros
    if (!isAmount(leftMicros)) expectNotNegative(this.account(account), leftMicros, 'balance')
    this.#addSpent(slot, addedMicros)
    return addedMicros
  }

  #addSpent(slot: number, micros: number): void {
    const cells = this.cells.of(slot)
    const account = cells[rowOf(slot) + ACCOUNT_PLUS_1] - 1
    cells[rowOf(slot) + SPENT_MICROS] += micros
    this.cells.of(account)[rowOf(account) + ACCOUNT_SPENT_MICROS] += micros
  }

  /** Answered by the cells: the record need not be touched. */
  #isKey(slot: number): boolean {
    return slot < this.slots.length && this.cells.of(slot)[rowOf(slot) + ACCOUNT_PLUS_1] !== 0
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

  /** To be asked before a record is made: making it clears the row of its slot. @throws Error when it is not the next */
  expectSlot(slot: number): void {
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

function setStanding(account: AccountRecord, event: StandingEvent, timeMs: number): void {
  const { kind, reason, by } = event
  const expected = kind === 'suspended' ? undefined : 'suspended'
  if (account.standing?.state !== expected) {
    throw new Error(`account ${account.id} is ${account.standing?.state ?? 'active'} and would be ${kind}`)
  }
  account.standing = kind === 'suspended' ? { state: kind, sinceMs: timeMs, reason, by } : null
}

function expectNotNegative(account: AccountRecord, micros: number, what: string): void {
  if (isAmount(micros)) return
  throw new Error(`account ${account.id} would have a ${what} of ${micros} micros`)
}

function isAmount(micros: number): boolean {
  return micros >= 0 && Number.isSafeInteger(micros)
}

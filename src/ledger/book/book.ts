/** The book: what the ledger's events add up to. Replay, the running service, snapshots and proofs all share it. */
import type { AdjustEvent, CreditEvent, KeyEvent, LedgerEvent, UsageEvent } from '../event.ts'
import { USAGE_ROW } from '../event.ts'
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
   * Applies one event. @throws Error when it contradicts the book: an event of a slot that does not exist, a repeated
   * id, usage beyond the balance. From a sound file, that is a bug or a forged ledger, never a crash's trace.
   */
  apply(event: LedgerEvent, timeMs: number, sequence: number): void {
    switch (event.kind) {
      case 'open':
        return
      case 'account':
        this.addAccount(newAccountRecord(event.slot, event.id, event.email, timeMs))
        return
      case 'identity':
        return this.#addIdentity(this.account(event.account), event.issuer, event.subject)
      case 'key':
        return this.#openKey(event, timeMs)
      case 'rename':
        this.key(event.key).label = event.label
        return
      case 'revoke':
        this.key(event.key).revokedMs ||= timeMs
        return
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
        return this.#credit(event, timeMs, sequence)
      case 'adjust':
        return this.#adjust(event, timeMs, sequence)
      case 'usage':
        return this.#usage(event, timeMs)
      default:
        throw new Error(`unknown kind of event ${JSON.stringify((event as { kind: unknown }).kind)}`)
    }
  }

  account(slot: number): AccountRecord {
    const record = this.slots[slot]
    if (record?.type !== 'account') throw new Error(`slot ${slot} is no account`)
    return record
  }

  key(slot: number): KeyRecord {
    const record = this.slots[slot]
    if (record?.type !== 'key') throw new Error(`slot ${slot} is no key`)
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
  }

  #openKey(event: KeyEvent, timeMs: number): void {
    this.addKey(newKeyRecord(event, this.account(event.account), timeMs))
  }

  #addIdentity(account: AccountRecord, issuer: string, subject: string): void {
    this.byIdentity.set(identityKey(issuer, subject), account)
    account.identities.push({ issuer, subject })
  }

  #credit(event: CreditEvent, timeMs: number, sequence: number): void {
    const { credit: kind, reference, note } = event
    const gainMicros = event.micros - event.debtPaidMicros
    const entry = {
      sequence,
      timeMs,
      kind,
      balanceMicros: gainMicros,
      debtMicros: -event.debtPaidMicros,
      reference,
      note,
    }
    this.#enter(this.account(event.account), entry)
  }

  #adjust(event: AdjustEvent, timeMs: number, sequence: number): void {
    const { adjust: kind, reference, note } = event
    const debtMicros = event.micros - event.takenMicros
    const entry = { sequence, timeMs, kind, balanceMicros: -event.takenMicros, debtMicros, reference, note }
    this.#enter(this.account(event.account), entry)
  }

  #enter(account: AccountRecord, entry: Entry): void {
    if (this.references.has(entry.reference)) throw new Error(`reference ${entry.reference} used twice`)
    account.creditedMicros += entry.balanceMicros
    account.debtMicros += entry.debtMicros
    expectNotNegative(account, balanceMicros(account), 'balance')
    expectNotNegative(account, account.debtMicros, 'debt')
    account.entries.push(entry)
    this.references.set(entry.reference, { account, entry })
  }

  #usage(event: UsageEvent, timeMs: number): void {
    const { rows } = event
    for (let row = 0; row < rows.length; row += USAGE_ROW) {
      const key = this.key(rows[row] ?? -1)
      applyUsageRow(key, rows, row, timeMs)
      expectNotNegative(key.account, balanceMicros(key.account), 'balance')
    }
  }

  #expectSlot(slot: number): void {
    if (slot !== this.slots.length) throw new Error(`slot ${slot} follows slot ${this.slots.length - 1}`)
  }
}

/** The parts cannot be confused: neither contains a line break. */
export function identityKey(issuer: string, subject: string): string {
  return `${issuer}\n${subject}`
}

function expectNotNegative(account: AccountRecord, micros: number, what: string): void {
  if (micros < 0 || !Number.isSafeInteger(micros)) {
    throw new Error(`account ${account.id} would have a ${what} of ${micros} micros`)
  }
}

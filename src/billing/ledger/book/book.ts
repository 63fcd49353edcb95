import { monthOf, monthStartMs } from '../../../platform/time.ts'
import type { EventOf, LedgerEvent, UsageEvent } from '../event.ts'
import {
  AccountRecord,
  balanceMicros,
  type Entry,
  enterMonth,
  KeyRecord,
  PREVIOUS_STARTS_MAX,
  startsOf,
} from './record.ts'
import { changeMember, invite, type Memberships, withdrawInvitation } from './team.ts'

/** Sum of the ledger's events. Replay, the running service, snapshots and proofs share it. */
export class Book {
  readonly slots: (AccountRecord | KeyRecord)[] = []
  readonly accounts = new Map<string, AccountRecord>()
  readonly byEmail = new Map<string, AccountRecord>()
  readonly byIdentity = new Map<string, AccountRecord>()
  readonly keys = new Map<string, KeyRecord>()
  readonly references = new Map<string, { account: AccountRecord; entry: Entry }>()
  readonly memberships: Memberships = new Map()
  readonly #isUsageLate: boolean
  /** Beginning and end of the month of the last event. */
  #monthMs = 0
  #monthEndMs = 0

  /** @param isUsageLate true in a fleet: usage follows commits, and the database checks debts */
  constructor(isUsageLate = false) {
    this.#isUsageLate = isUsageLate
  }

  /** Applies all events or none. Several must open one account, whose removal undoes them, or a key. */
  transact(events: readonly LedgerEvent[], timeMs: number, sequence: number): void {
    const [first, ...rest] = events
    if (first === undefined) throw new Error('a transaction has at least one event')
    if (rest.length > 0 && !isOpening(first, rest))
      throw new Error('a transaction of several events opens one account or key and concerns only that one')
    this.apply(first, timeMs, sequence)
    try {
      for (const event of rest) this.apply(event, timeMs, sequence)
    } catch (error) {
      this.#removeLastAccount()
      throw error
    }
  }

  /** Applies one event. @throws Error with nothing changed: in a sound file, a bug or a forgery */
  apply(event: LedgerEvent, timeMs: number, sequence: number): void {
    if (event.kind === 'usage' || !this.#isUsageLate) this.#enterMonth(timeMs)
    switch (event.kind) {
      case 'open':
        return
      case 'account':
        return this.addAccount(new AccountRecord(event, timeMs))
      case 'identity':
        return this.addIdentity(this.account(event.account), event.issuer, event.subject)
      case 'key':
        return this.addKey(new KeyRecord(event, this.account(event.account), timeMs))
      case 'rename':
        this.key(event.key).label = event.label
        return
      case 'revoke':
        // The first revocation counts.
        this.key(event.key).revokedMs ||= timeMs
        return
      case 'cap':
        this.key(event.key).capMicros = event.micros
        return
      case 'switch':
        this.key(event.key).offMs = event.isOn ? 0 : timeMs
        return
      case 'limits':
        this.account(event.account).limits = event.limits
        return
      case 'profile':
        this.account(event.account).lowBalanceMicros = event.lowBalanceMicros
        return
      case 'note':
        this.account(event.account).note = event.note
        return
      case 'credit':
      case 'adjust':
        return this.#enter(this.account(event.account), { sequence, timeMs, ...changeOf(event) })
      case 'suspended':
      case 'resumed':
        return setStanding(this.account(event.account), event, timeMs)
      case 'closed':
        return this.#close(this.account(event.account), event, timeMs, sequence)
      case 'invited':
        return invite(this.account(event.account), event, timeMs)
      case 'uninvited':
        return withdrawInvitation(this.account(event.account), event.invitation)
      case 'member':
        return changeMember(this.account(event.account), this.account(event.person), event, this.memberships)
      case 'usage':
        return this.#addUsage(event, timeMs)
      case 'rules':
        return setRules(this.key(event.key), event)
      case 'roll':
        return roll(this.key(event.key), event)
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

  /** Returns the account and the key of an event, if it has one. An opening event must be applied. */
  subjectsOf(event: LedgerEvent): { account: AccountRecord | null; key: KeyRecord | null } {
    if (event.kind === 'account') return { account: this.account(event.slot), key: null }
    const slot = event.kind === 'key' ? event.slot : 'key' in event ? event.key : null
    const key = slot === null ? null : this.key(slot)
    const account = 'account' in event ? this.account(event.account) : (key?.account ?? null)
    return { account, key }
  }

  /** Adds the record of the next slot. @throws Error if its id or its email is taken */
  addAccount(record: AccountRecord): void {
    this.#expectNext(record.slot)
    if (this.accounts.has(record.id) || this.byEmail.has(record.email))
      throw new Error(`account ${record.id} or its email opened twice`)
    this.slots.push(record)
    this.accounts.set(record.id, record)
    this.byEmail.set(record.email, record)
  }

  addKey(record: KeyRecord): void {
    this.#expectNext(record.slot)
    if (this.keys.has(record.id)) throw new Error(`key ${record.id} created twice`)
    this.slots.push(record)
    this.keys.set(record.id, record)
    record.account.keys.push(record)
  }

  /** Links a sign-in. A repetition changes nothing. @throws Error if it is linked to another account */
  addIdentity(account: AccountRecord, issuer: string, subject: string): void {
    const key = identityKey(issuer, subject)
    const owner = this.byIdentity.get(key)
    if (owner === account) return
    if (owner !== undefined) throw new Error(`a sign-in of account ${owner.id} linked to ${account.id}`)
    this.byIdentity.set(key, account)
    account.identities.push({ issuer, subject })
  }

  /** Adds an entry without its money. @throws Error if its reference is taken */
  addEntry(account: AccountRecord, entry: Entry): void {
    if (this.references.has(entry.reference)) throw new Error(`reference ${entry.reference} used twice`)
    account.entries.push(entry)
    this.references.set(entry.reference, { account, entry })
  }

  #enter(account: AccountRecord, entry: Entry): void {
    const leftMicros = balanceMicros(account) + entry.balanceMicros
    const debtMicros = account.debtMicros + entry.debtMicros
    expectAmount(account, leftMicros, 'balance')
    expectAmount(account, debtMicros, 'debt')
    if (leftMicros > 0 && (debtMicros > 0 || entry.kind === 'closed') && !this.#isUsageLate)
      throw new Error(
        `account ${account.id} would keep a balance of ${leftMicros} micros ${debtMicros > 0 ? `with a debt of ${debtMicros}` : 'after its end'}`,
      )
    this.addEntry(account, entry)
    account.creditedMicros += entry.balanceMicros
    account.debtMicros += entry.debtMicros
  }

  #close(account: AccountRecord, event: EventOf<'closed'>, timeMs: number, sequence: number): void {
    if (account.standing?.state === 'closed') throw new Error(`account ${account.id} closed twice`)
    const { takenMicros, reference, reason, by } = event
    const effect = { balanceMicros: -takenMicros, debtMicros: 0, reference, note: reason }
    this.#enter(account, { sequence, timeMs, kind: 'closed', ...effect })
    account.standing = { state: 'closed', sinceMs: timeMs, reason, by }
  }

  /** Adds all spends first, which may be refused, and then the counts. */
  #addUsage({ rows }: UsageEvent, timeMs: number): void {
    const addedMicros: number[] = []
    try {
      for (const row of rows) {
        const key = this.key(row.key)
        const micros = Math.max(0, row.spentMicros - key.spentMicros)
        expectAmount(key.account, balanceMicros(key.account) - micros, 'balance')
        addSpend(key, micros)
        addedMicros.push(micros)
      }
    } catch (error) {
      for (const [row, micros] of addedMicros.entries()) addSpend(this.key(rows[row].key), -micros)
      throw error
    }
    for (const [row, { key, queries }] of rows.entries())
      raiseCounts(this.key(key), queries, addedMicros[row], timeMs)
  }

  #enterMonth(timeMs: number): void {
    if (timeMs >= this.#monthMs && timeMs < this.#monthEndMs) return
    const month = monthOf(timeMs)
    this.#monthMs = monthStartMs(month)
    this.#monthEndMs = monthStartMs(month + 1)
    for (const key of this.keys.values()) enterMonth(key, month)
  }

  #removeLastAccount(): void {
    const record = this.account(this.slots.length - 1)
    this.slots.pop()
    this.accounts.delete(record.id)
    this.byEmail.delete(record.email)
    for (const { issuer, subject } of record.identities) this.byIdentity.delete(identityKey(issuer, subject))
    for (const { reference } of record.entries) this.references.delete(reference)
  }

  #expectNext(slot: number): void {
    if (slot !== this.slots.length) throw new Error(`slot ${slot} follows slot ${this.slots.length - 1}`)
  }
}

/** Returns a key of both parts. Neither contains a line break. */
export function identityKey(issuer: string, subject: string): string {
  return `${issuer}\n${subject}`
}

function isOpening(first: LedgerEvent, rest: readonly LedgerEvent[]): boolean {
  if (first.kind === 'key') return rest.every(event => event.kind === 'rules' && event.key === first.slot)
  return (
    first.kind === 'account' &&
    rest.every(event => 'account' in event && event.kind !== 'key' && event.account === first.slot)
  )
}

function changeOf(event: EventOf<'credit'> | EventOf<'adjust'>): Omit<Entry, 'sequence' | 'timeMs'> {
  const { reference, note, payment, micros } = event
  const why = { reference, note, ...(payment !== undefined && { payment }) }
  if (event.kind === 'credit') {
    const { credit: kind, debtPaidMicros } = event
    return { kind, balanceMicros: micros - debtPaidMicros, debtMicros: -debtPaidMicros, ...why }
  }
  const { adjust: kind, takenMicros } = event
  return { kind, balanceMicros: -takenMicros, debtMicros: micros - takenMicros, ...why }
}

function setStanding(account: AccountRecord, event: EventOf<'suspended' | 'resumed'>, timeMs: number): void {
  const { kind, reason, by } = event
  const expected = kind === 'suspended' ? undefined : 'suspended'
  if (account.standing?.state !== expected)
    throw new Error(`account ${account.id} is ${account.standing?.state ?? 'active'} and would be ${kind}`)
  account.standing = kind === 'suspended' ? { state: kind, sinceMs: timeMs, reason, by } : null
}

function setRules(key: KeyRecord, { expiresMs, limits, endpoints, addresses }: EventOf<'rules'>): void {
  const isFree = expiresMs === null && limits === null && endpoints === null && addresses === null
  key.rules = isFree ? null : { expiresMs, limits, endpoints, addresses }
}

function roll(key: KeyRecord, event: EventOf<'roll'>): void {
  key.previous = { hash: key.hash, untilMs: event.untilMs }
  key.previousStarts = startsOf(key).slice(0, PREVIOUS_STARTS_MAX)
  key.start = event.start
  key.hash = event.hash
}

function endOverlap(key: KeyRecord, untilMs: number): void {
  if (key.previous === null) throw new Error(`key ${key.id} has no previous secret`)
  key.previous = { ...key.previous, untilMs }
}

function addSpend(key: KeyRecord, micros: number): void {
  key.spentMicros += micros
  key.account.spentMicros += micros
}

/** Raises the counts of a key to cumulative ones, so that a repeated row changes nothing. */
function raiseCounts(key: KeyRecord, queries: readonly number[], addedMicros: number, timeMs: number): void {
  const sums = key.queries.slice()
  const added = new Array<number>(sums.length).fill(0)
  let isAhead = false
  // A plain loop, since it takes a third of a replay.
  for (let usage = 0; usage < queries.length; usage++) {
    if (queries[usage] <= sums[usage]) continue
    added[usage] = queries[usage] - sums[usage]
    sums[usage] = queries[usage]
    isAhead = true
  }
  if (!isAhead && addedMicros === 0) return
  key.queries = sums
  // The order of frames counts: a wrong clock may have written later times before.
  if (isAhead) key.lastUsedMs = timeMs
  key.hours.add(timeMs, added, addedMicros)
  key.days.add(timeMs, added, addedMicros)
}

function expectAmount(account: AccountRecord, micros: number, what: string): void {
  if (micros >= 0 && Number.isSafeInteger(micros)) return
  throw new Error(`account ${account.id} would have a ${what} of ${micros} micros`)
}

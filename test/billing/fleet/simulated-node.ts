/** A node by the rules. It uses only the interface of `src/billing/fleet`, so that the rules are written twice. */
import type {
  Exchange,
  ExchangeAnswer,
  FleetChanges,
  KeyCounts,
  NodeIdentity,
  Want,
} from '../../../src/billing/fleet/messages.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'

/** An hour before the database may give the leases up. */
const DEADLINE_MS = 23 * 3_600_000

/** State that survives the process. */
export interface Disk {
  node: string
  /** Acknowledged queries of each key, by usage class, over all epochs. */
  counts: Map<number, number[]>
  known: Map<number, number[]>
  /** Known queries that are not charged, by key: their leases had been given up before the report. */
  forgiven: Map<number, number>
  isLost: boolean
  isWrittenOff: boolean
}

export interface Sent {
  identity: NodeIdentity
  exchange: Exchange
  sentMs: number
}

interface Amount {
  left: number
  untilMs: number
}

export class SimulatedNode {
  readonly disk: Disk
  readonly identity: NodeIdentity
  isSettled = false
  /** True after a later epoch or a write-off: the node must not charge. */
  isFenced = false
  sequence = 0
  position = '0'
  pending: Sent | null = null
  readonly #balances = new Map<number, number>()
  readonly #caps = new Map<number, Amount>()
  readonly #admissions = new Map<number, Amount>()
  readonly #capped = new Set<number>()
  /** Transaction that last removed a key's cap, by key. It voids earlier grants. */
  readonly #uncapped = new Map<number, number>()
  /** Accounts, and keys with limits of their own. */
  readonly #limited = new Set<number>()
  readonly #accountOf = new Map<number, number>()
  readonly #dirty = new Set<number>()
  readonly #recalled = new Set<number>()
  #admitted = new Map<number, number>()
  #number = 0
  #deadlineMs: number

  constructor(disk: Disk, epoch: number, nowMs: number) {
    this.disk = disk
    this.identity = { node: disk.node, epoch }
    this.#deadlineMs = nowMs + DEADLINE_MS
  }

  get keys(): number[] {
    return [...this.#accountOf.keys()]
  }

  apply({ committed, position }: FleetChanges): void {
    for (const { sequence, events } of committed) {
      this.sequence = sequence
      for (const event of events) {
        if (event.kind === 'key') this.#accountOf.set(event.slot, event.account)
        if (event.kind === 'cap') this.#setCap(event.key, event.micros, sequence)
        if (event.kind === 'rules') this.#setLimited(event.key, event.limits !== null)
        if (event.kind === 'limits') this.#setLimited(event.account, event.limits !== null)
      }
    }
    this.position = position
  }

  charge(key: number, usage: number, queries: number, nowMs: number): boolean {
    const account = this.#accountOf.get(key)
    const micros = queries * QUERY_PRICE_MICROS
    if (account === undefined || this.isFenced || !this.isSettled || nowMs >= this.#deadlineMs) return false
    const balance = this.#balances.get(account) ?? 0
    const cap = this.#capped.has(key) ? presentAmount(this.#caps.get(key), nowMs) : null
    const limited = [account, key].filter(slot => this.#limited.has(slot))
    const admissions = limited.map(slot => presentAmount(this.#admissions.get(slot), nowMs))
    if (balance < micros || (cap !== null && cap.left < micros)) return false
    if (admissions.some(({ left }) => left < queries)) return false
    this.#balances.set(account, balance - micros)
    if (cap !== null) cap.left -= micros
    for (const admission of admissions) admission.left -= queries
    for (const slot of limited) this.#admitted.set(slot, (this.#admitted.get(slot) ?? 0) + queries)
    const counts = this.disk.counts.get(key) ?? []
    counts[usage] = (counts[usage] ?? 0) + queries
    this.disk.counts.set(key, counts)
    this.#dirty.add(key)
    return true
  }

  /** Returns the next message: all news, all recalled leases, and a part of the others. */
  compose(wants: readonly Want[], returnedShare: (held: number) => number, nowMs: number): Sent {
    if (this.pending !== null) return this.pending
    const returns = [...this.#balances].flatMap(([account, held]) => {
      const isRecalled = this.#recalled.has(account)
      const micros = isRecalled
        ? held
        : Math.floor(returnedShare(held) / QUERY_PRICE_MICROS) * QUERY_PRICE_MICROS
      if (micros === 0 && !isRecalled) return []
      this.#balances.set(account, held - micros)
      return { account, micros, ...this.#taken(account, isRecalled, nowMs) }
    })
    this.#recalled.clear()
    for (const [account, { left, untilMs }] of this.#admissions) {
      if (nowMs < untilMs) continue
      this.#admissions.delete(account)
      returns.push({ account, micros: 0, admissions: left, caps: [] })
    }
    const reports = [...this.#dirty].map(key => countsOf(this.disk, key))
    this.#dirty.clear()
    const admitted = Array.from(this.#admitted, ([account, queries]) => ({ account, queries }))
    this.#admitted = new Map()
    this.pending = {
      identity: this.identity,
      exchange: { number: ++this.#number, reports, admitted, returns, wants },
      sentMs: nowMs,
    }
    return this.pending
  }

  handleAnswer(answer: ExchangeAnswer, nowMs: number): void {
    if (this.pending === null) return
    const { sentMs } = this.pending
    this.pending = null
    this.#deadlineMs = sentMs + DEADLINE_MS
    for (const { account, grantedMicros, cap, admission } of answer.accounts) {
      this.#balances.set(account, (this.#balances.get(account) ?? 0) + grantedMicros)
      if (cap !== null && answer.sequence >= (this.#uncapped.get(cap.key) ?? 0)) {
        addAmount(this.#caps, cap.key, cap.grantedMicros, sentMs + cap.validMs, nowMs)
      }
      if (admission !== null) {
        addAmount(this.#admissions, account, admission.granted, sentMs + admission.validMs, nowMs)
      }
    }
    for (const account of answer.recalls) this.#recalled.add(account)
  }

  counts(): KeyCounts[] {
    return [...this.disk.counts.keys()].map(key => countsOf(this.disk, key))
  }

  /** Caps and admissions are returned with a recalled account. */
  #taken(
    account: number,
    isRecalled: boolean,
    nowMs: number,
  ): { admissions: number; caps: { key: number; micros: number }[] } {
    if (!isRecalled) return { admissions: 0, caps: [] }
    const admission = presentAmount(this.#admissions.get(account), nowMs)
    this.#admissions.delete(account)
    const caps = [...this.#caps]
      .filter(([key]) => this.#accountOf.get(key) === account)
      .map(([key, cap]) => ({ key, micros: presentAmount(cap, nowMs).left }))
    for (const { key } of caps) this.#caps.delete(key)
    return { admissions: admission.left, caps }
  }

  #setCap(key: number, micros: number | null, sequence: number): void {
    if (micros !== null) {
      this.#capped.add(key)
      return
    }
    this.#capped.delete(key)
    this.#uncapped.set(key, sequence)
    // A faster answer may have been decided after this transaction, and is then dropped as well. Only a part of the cap stays unused.
    this.#caps.delete(key)
  }

  #setLimited(slot: number, isLimited: boolean): void {
    if (isLimited) this.#limited.add(slot)
    else this.#limited.delete(slot)
  }
}

function presentAmount(amount: Amount | undefined, nowMs: number): Amount {
  return amount === undefined || nowMs >= amount.untilMs ? { left: 0, untilMs: 0 } : amount
}

/**
 * Adds grants until `untilMs`, or drops a late one. An amount that has not ended belongs to the same window, because a later grant
 * arrives after this one ends.
 */
function addAmount(
  amounts: Map<number, Amount>,
  of: number,
  granted: number,
  untilMs: number,
  nowMs: number,
): void {
  if (granted === 0 || nowMs >= untilMs) return
  const before = presentAmount(amounts.get(of), nowMs)
  const earlierMs = before.left > 0 ? Math.min(before.untilMs, untilMs) : untilMs
  amounts.set(of, { left: before.left + granted, untilMs: earlierMs })
}

function countsOf({ counts }: Disk, key: number): KeyCounts {
  return { key, queries: Array.from(counts.get(key) ?? [], count => count ?? 0) }
}

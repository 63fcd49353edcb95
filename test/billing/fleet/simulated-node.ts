/** A node by the rules. It uses only the interface of `src/billing/fleet`, so that the rules are written twice. */
import type {
  Exchange,
  ExchangeAnswer,
  FleetChanges,
  KeyCount,
  NodeIdentity,
  Taken,
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

/** Lease of one counter. */
interface Lease {
  left: number
  used: number
  /** End of the period; Infinity for a balance. */
  untilMs: number
}

const WINDOWS = [2, 3, 4]

export class SimulatedNode {
  readonly disk: Disk
  readonly identity: NodeIdentity
  isSettled = false
  /** True after a later epoch or a write-off: the node must not charge. */
  isFenced = false
  sequence = 0
  position = '0'
  pending: Sent | null = null
  /** Leases by holder and kind, as `3/0`. */
  readonly #leases = new Map<string, Lease>()
  readonly #capped = new Set<number>()
  /** Transaction that last changed a limit, by holder and kind. Earlier grants are returned. */
  readonly #changedAt = new Map<string, number>()
  /** Accounts, and keys with limits of their own. */
  readonly #limited = new Set<number>()
  readonly #accountOf = new Map<number, number>()
  readonly #dirty = new Set<number>()
  readonly #recalled = new Set<number>()
  #dropped: Taken[] = []
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
        if (event.kind === 'cap') this.#set(this.#capped, event.key, event.micros !== null, [1], sequence)
        if (event.kind === 'rules')
          this.#set(this.#limited, event.key, event.limits !== null, WINDOWS, sequence)
        if (event.kind === 'limits')
          this.#set(this.#limited, event.account, event.limits !== null, WINDOWS, sequence)
      }
    }
    this.position = position
  }

  charge(key: number, usage: number, queries: number, nowMs: number): boolean {
    const account = this.#accountOf.get(key)
    const micros = queries * QUERY_PRICE_MICROS
    if (account === undefined || this.isFenced || !this.isSettled || nowMs >= this.#deadlineMs) return false
    const money = [this.#lease(`${account}/0`, nowMs)]
    if (this.#capped.has(key)) money.push(this.#lease(`${key}/1`, nowMs))
    const windows = [account, key]
      .filter(slot => this.#limited.has(slot))
      .flatMap(slot => WINDOWS.map(kind => this.#lease(`${slot}/${kind}`, nowMs)))
    if (money.some(({ left }) => left < micros) || windows.some(({ left }) => left < queries)) return false
    for (const lease of money) lease.left -= micros
    for (const lease of windows) {
      lease.left -= queries
      lease.used += queries
    }
    const counts = this.disk.counts.get(key) ?? []
    counts[usage] = (counts[usage] ?? 0) + queries
    this.disk.counts.set(key, counts)
    this.#dirty.add(key)
    return true
  }

  /** Returns the next message: all news, all leases of recalled accounts, and a part of the others. */
  compose(wants: readonly Want[], returnedShare: (held: number) => number, nowMs: number): Sent {
    if (this.pending !== null) return this.pending
    const taken = this.#dropped
    this.#dropped = []
    for (const name of this.#leases.keys()) {
      const lease = this.#lease(name, nowMs)
      const [holder, kind] = name.split('/').map(Number)
      const unit = kind < 2 ? QUERY_PRICE_MICROS : 1
      const isRecalled = this.#recalled.has(this.#accountOf.get(holder) ?? holder)
      const returned = isRecalled ? lease.left : Math.floor(returnedShare(lease.left) / unit) * unit
      if (returned + lease.used > 0) taken.push({ holder, kind, used: lease.used, returned })
      lease.left -= returned
      lease.used = 0
    }
    this.#recalled.clear()
    const reports = [...this.#dirty].flatMap(key => countsOf(this.disk, key))
    this.#dirty.clear()
    this.pending = {
      identity: this.identity,
      exchange: { number: ++this.#number, reports, taken, wants },
      sentMs: nowMs,
    }
    return this.pending
  }

  handleAnswer(answer: ExchangeAnswer, nowMs: number): void {
    if (this.pending === null) return
    const { sentMs } = this.pending
    this.pending = null
    this.#deadlineMs = sentMs + DEADLINE_MS
    for (const { holder, kind, granted, validMs } of answer.shares) {
      const name = `${holder}/${kind}`
      const untilMs = validMs === null ? Number.POSITIVE_INFINITY : sentMs + validMs
      if (granted === 0 || nowMs >= untilMs) continue
      if ((this.#changedAt.get(name) ?? 0) > answer.sequence)
        this.#dropped.push({ holder, kind, used: 0, returned: granted })
      else {
        // A lease that has not ended is of the same period, because a later grant arrives after its end.
        const lease = this.#lease(name, nowMs)
        lease.untilMs = lease.untilMs === 0 ? untilMs : Math.min(lease.untilMs, untilMs)
        lease.left += granted
      }
    }
    for (const account of answer.recalls) this.#recalled.add(account)
  }

  counts(): KeyCount[] {
    return [...this.disk.counts.keys()].flatMap(key => countsOf(this.disk, key))
  }

  /** Returns a lease; an empty one after the end of its period. */
  #lease(name: string, nowMs: number): Lease {
    const known = this.#leases.get(name)
    if (known !== undefined && nowMs < known.untilMs) return known
    const lease = { left: 0, used: 0, untilMs: 0 }
    this.#leases.set(name, lease)
    return lease
  }

  /** Returns the leases of a changed limit with the next message. */
  #set(slots: Set<number>, slot: number, isLimited: boolean, kinds: number[], sequence: number): void {
    if (isLimited) slots.add(slot)
    else slots.delete(slot)
    for (const kind of kinds) {
      const name = `${slot}/${kind}`
      const { left, used } = this.#leases.get(name) ?? { left: 0, used: 0 }
      if (left + used > 0) this.#dropped.push({ holder: slot, kind, used, returned: left })
      this.#leases.delete(name)
      this.#changedAt.set(name, sequence)
    }
  }
}

function countsOf({ counts }: Disk, key: number): KeyCount[] {
  return Array.from(counts.get(key) ?? [], (count, usage) => ({ key, usage, queries: count ?? 0 }))
}

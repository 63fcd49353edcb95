/** Every acknowledged query of a simulated fleet, and the database's view of it. */
import type { KeyCount } from '../../../src/billing/fleet/messages.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import type { Disk } from './simulated-node.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Slots of accounts. Limits and caps of 0 and 2 change; those of 1 stay and are watched. */
export const ACCOUNTS = 3
export const KEYS = [
  { slot: 3, account: 0 },
  { slot: 4, account: 0 },
  { slot: 5, account: 1 },
  { slot: 6, account: 1 },
  { slot: 7, account: 2 },
]
export type SimulatedKey = (typeof KEYS)[number]
export const LIMITED_ACCOUNT = 1
export const LIMITS = { perMinute: 12, perHour: 90, perDay: null }
export const CAPPED_KEY = 5
export const LIMITED_KEY = 6
export const KEY_LIMITS = { perMinute: 5, perHour: 60, perDay: null }
export const CAP_MICROS = 10 * QUERY_PRICE_MICROS

export class SimulatedTruth {
  readonly disks: Disk[] = []
  /** Micro-dollars by account. */
  readonly #acknowledged = new Map<number, number>()
  /** Queries by window. */
  readonly #windows = new Map<string, number>()

  /** Counts a charge of a node. @throws Error when the node must not charge */
  acknowledge(disk: Disk, key: SimulatedKey, queries: number, nowMs: number): void {
    if (disk.isWrittenOff) throw new Error(`node ${disk.node} charges what was given up`)
    this.#acknowledged.set(
      key.account,
      (this.#acknowledged.get(key.account) ?? 0) + queries * QUERY_PRICE_MICROS,
    )
    if (key.slot === CAPPED_KEY) {
      // Queries that were lost with a node are not charged and use no cap.
      const lost = this.disks.reduce((sum, other) => sum + lostQueries(other, CAPPED_KEY), 0)
      this.#count('month', monthOf(nowMs), queries, CAP_MICROS / QUERY_PRICE_MICROS + lost)
    }
    if (key.slot === LIMITED_KEY) {
      this.#count('minute of a key', Math.floor(nowMs / MINUTE_MS), queries, KEY_LIMITS.perMinute)
      this.#count('hour of a key', Math.floor(nowMs / HOUR_MS), queries, KEY_LIMITS.perHour)
    }
    if (key.account !== LIMITED_ACCOUNT) return
    this.#count('minute', Math.floor(nowMs / MINUTE_MS), queries, LIMITS.perMinute)
    this.#count('hour', Math.floor(nowMs / HOUR_MS), queries, LIMITS.perHour)
  }

  /** Records the cumulative counts that the database has accepted. */
  book(disk: Disk, reports: readonly KeyCount[]): void {
    for (const { key, usage, queries } of reports) {
      const known = disk.known.get(key) ?? []
      const before = known[usage] ?? 0
      if (queries <= before) continue
      if (disk.isWrittenOff) disk.forgiven.set(key, (disk.forgiven.get(key) ?? 0) + queries - before)
      known[usage] = queries
      disk.known.set(key, known)
    }
  }

  /** Compares an account after all reports. Returns the lost queries. @throws Error when the account differs */
  expectBooked(account: number, { spent, leased }: { spent: number; leased: number }): number {
    const acknowledged = this.#acknowledged.get(account) ?? 0
    const sum = (queriesOf: (disk: Disk, key: number) => number) =>
      this.disks.reduce((total, disk) => total + microsOf(account, key => queriesOf(disk, key)), 0)
    const booked = sum((disk, key) => total(disk.known.get(key)) - (disk.forgiven.get(key) ?? 0))
    const lost = sum(lostQueries)
    if (leased !== 0) throw new Error(`account ${account}: ${leased} micros are still leased`)
    if (spent !== booked) throw new Error(`account ${account}: ${spent} spent, ${booked} reported`)
    if (spent + lost === acknowledged) return lost / QUERY_PRICE_MICROS
    throw new Error(
      `account ${account}: ${acknowledged} acknowledged, ${spent} spent, ${lost} lost with nodes`,
    )
  }

  #count(window: string, index: number, queries: number, limit: number): void {
    const name = `${window} ${index}`
    const count = (this.#windows.get(name) ?? 0) + queries
    this.#windows.set(name, count)
    if (count > limit) throw new Error(`${count} queries in ${name}, and ${limit} are allowed`)
  }
}

/** Acknowledged queries that are never charged: on a lost disk, or reported after the leases were given up. */
function lostQueries(disk: Disk, key: number): number {
  const forgiven = disk.forgiven.get(key) ?? 0
  if (!disk.isLost && !disk.isWrittenOff) return forgiven
  return forgiven + total(disk.counts.get(key)) - total(disk.known.get(key))
}

function microsOf(account: number, queriesOf: (key: number) => number): number {
  const keys = KEYS.filter(key => key.account === account)
  return keys.reduce((sum, { slot }) => sum + queriesOf(slot), 0) * QUERY_PRICE_MICROS
}

/** Adds up all usage classes. A class without queries may be a hole. */
function total(queries: readonly number[] = []): number {
  return Array.from(queries, count => count ?? 0).reduce((sum, count) => sum + count, 0)
}

function monthOf(timeMs: number): number {
  const date = new Date(timeMs)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

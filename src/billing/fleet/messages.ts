/** Messages of a node and its database. Times are of the database's clock. Accounts and keys are slots. */
import type { LedgerEvent } from '../ledger/event.ts'

/** Time between exchanges of an idle node. */
export const FLEET_HEARTBEAT_MS = 2000

export interface NodeIdentity {
  /** Random UUID, kept in the node's folder. */
  node: string
  /** Number of the start. Calls with an older epoch are refused with `FencedError`. */
  epoch: number
}

/** Committed transaction of the fleet. Every node applies them in the order of `sequence`. */
export type Committed = { sequence: number; timeMs: number; events: readonly LedgerEvent[] }

/** Queries of a key in one usage class. */
export type KeyCount = { key: number; usage: number; queries: number }

/** Kind of the counter of an account's balance. Kinds are numbered as in `sql/1-tables.sql`. */
export const BALANCE = 0
export const KEY_CAP = 1
/** Kind of the counter of a minute. Hour and day follow. */
export const FIRST_WINDOW = 2

/** Counter of an account or key. Amounts of a balance or cap are micros, others queries. */
export interface CounterId {
  /** Slot of the account or key. */
  holder: number
  kind: number
}

/** Amounts that the node has taken out of its lease. They are no longer in the live state. */
export interface TakenOut extends CounterId {
  /** Used queries; 0 for a balance or cap, which reports lower. */
  used: number
  returned: number
}

export interface Want extends CounterId {
  /** Slot of the account. All its needs are granted, or none. */
  account: number
  /** Amount that one waiting request needs. */
  needed: number
  /** Amount that the other waiting requests need. They are granted as far as possible. */
  others: number
  /** Amount that the reserve lacks. */
  ahead: number
}

/** Exchange of a node with the database: first reports, then what was taken from leases, then wants. */
export interface Exchange {
  /** Number, from 1 in each epoch. A repetition returns the first answer and changes nothing. */
  number: number
  /** Counts of this node over all its epochs, of keys whose counts changed since the last report. */
  reports: readonly KeyCount[]
  taken: readonly TakenOut[]
  wants: readonly Want[]
}

/** State of a counter of an account or key that the exchange named, with the grant if it was wanted. */
export interface CounterGrant extends CounterId {
  granted: number
  /** Unused part of the limit that this node does not lease: free, or leased by other nodes. */
  elsewhere: number
  /** Milliseconds until the period ends, from when the exchange was first sent; null for a balance. */
  validMs: number | null
}

export interface ExchangeAnswer {
  grants: CounterGrant[]
  /** Accounts whose leases this node should return at once. */
  recalls: number[]
  sequence: number
}

export interface FleetImage {
  /** Sequence of the moved ledger, which events follow; 0 if none was moved. */
  snapshotSequence: number
  position: string
  snapshot: AsyncIterable<Buffer>
  committed: AsyncIterable<Committed>
  /** Counts of all nodes together at the end of UTC hours, oldest first. */
  history: AsyncIterable<KeyCount & { hour: number }>
}

export interface FleetChanges {
  /** Newest committed sequence. `committed` may end before it. */
  sequence: number
  committed: Committed[]
  /** Cumulative counts of all nodes together, that changed. The next call may repeat one. */
  usage: KeyCount[]
  position: string
}

/** Credit of an account that a command may debit. `isLeased`: a node still has some. */
export type FreeCredit = { freeMicros: number; isLeased: boolean }

/** Usage whose lease an older copy of the database does not know. */
export interface UncoveredUsage {
  /** Micros booked, from free credit. */
  coveredMicros: number
  /** Micros that exceeded the free credit: never charged, with an entry in `writeOffs`. */
  forgivenMicros: number
}

export type NodeFacts = { address: string; version: string; indexBuild: string }

export interface FleetStatus {
  fleet: string
  sequence: number
  nodes: NodeStatus[]
  accounts: number
  keys: number
  leasedMicros: number
  /** Credit that silent nodes hold. */
  inDoubtMicros: number
  dashboard: string | null
  writeOffs: { node: string; epoch: number; account: string; micros: number; timeMs: number }[]
}

export type FleetHealth = { silentNodes: number; inDoubtMicros: number; isDashboardLive: boolean }

export interface NodeStatus extends NodeFacts {
  node: string
  epoch: number
  /** False until a start has reported the usage of earlier epochs. */
  isSettled: boolean
  isWrittenOff: boolean
  /** True if its folder was recovered. It does not serve. */
  isGone: boolean
  silentMs: number
  isSilent: boolean
  /** Committed transactions that the node has not reported as applied. */
  lag: number
  leases: number
  heldMicros: number
}

/** Row of text that the node with the dashboard keeps in the database, under a name such as `alerts`. */
export type DashboardRow = readonly [key: string, value: string]

export type DashboardRowChange = readonly [key: string, value: string | null]

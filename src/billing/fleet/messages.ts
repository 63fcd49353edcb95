/** Messages of a node and its database. Amounts are micro-dollars. Times are of the database's clock. Accounts and keys are slots. */
import type { LedgerEvent } from '../ledger/event.ts'

export interface NodeIdentity {
  /** Random UUID, kept in the node's folder. */
  node: string
  /** Number of the start. Calls with an older epoch are refused with `FencedError`. */
  epoch: number
}

/** Committed transaction of the fleet. Every node applies them in the order of `sequence`. */
export interface Committed {
  sequence: number
  timeMs: number
  events: readonly LedgerEvent[]
}

export interface KeyCounts {
  key: number
  /** Counts by usage class, USAGE_CLASSES_MAX numbers. */
  queries: readonly number[]
}

/** Credit and admissions that a node asks for: needed by waiting requests, or ahead of need. */
export interface Want {
  account: number
  /** Key whose cap is charged; null for a want of the account alone. */
  key: number | null
  neededMicros: number
  aheadMicros: number
  /** Admissions to the rate limits that a waiting request needs. */
  neededAdmissions: number
  aheadAdmissions: number
}

/** Leases that the node returns. They are no longer in the live state. */
export interface Return {
  account: number
  micros: number
  admissions: number
  caps: readonly { key: number; micros: number }[]
}

/** Exchange of a node with the database: first reports, then returns, then wants. */
export interface Exchange {
  /** Number of the exchange, from 1 in each epoch. A repetition returns the first answer and changes nothing. */
  number: number
  /** Counts of this node over all its epochs, of keys whose counts changed since the last report. */
  reports: readonly KeyCounts[]
  admitted: readonly { account: number; queries: number }[]
  returns: readonly Return[]
  /** Wants, at most one of each account. */
  wants: readonly Want[]
}

/** State of an account that the exchange named, with grants if it was wanted. */
export interface AccountShare {
  account: number
  /** Micros granted now, a multiple of the price. */
  grantedMicros: number
  /** Micros that this node could still get at best: the reported balance less this node's lease. */
  elsewhereMicros: number
  cap: CapShare | null
  admission: Admission | null
}

export interface CapShare {
  key: number
  grantedMicros: number
  elsewhereMicros: number
  /** Milliseconds until the grant ends with its UTC month, from when the exchange was first sent. */
  validMs: number
}

export interface Admission {
  granted: number
  /** Milliseconds until the grant ends with its minute, from when the exchange was first sent. */
  validMs: number
  /** Milliseconds until the needed admissions could pass; 0 unless refused. A refusal counts the unused admissions of other nodes. */
  waitMs: number
  /** Reported queries of all nodes in the present minute, hour and day. */
  counts: readonly [number, number, number]
}

export interface ExchangeAnswer {
  accounts: AccountShare[]
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
  /** Usage up to the end of each UTC hour, oldest first, for the histories. */
  hours: AsyncIterable<KeyCounts & { hour: number }>
}

export interface FleetChanges {
  /** Newest committed sequence. `committed` may end before it. */
  sequence: number
  committed: Committed[]
  /** Cumulative counts of all nodes together, of changed keys. The next call may repeat a key. */
  usage: KeyCounts[]
  position: string
}

/** Usage whose lease an older copy of the database does not know. */
export interface Lacking {
  /** Micros booked, from free credit. */
  coveredMicros: number
  /** Micros that exceeded the free credit: never charged, with an entry in `writeOffs`. */
  forgivenMicros: number
}

export interface NodeFacts {
  address: string
  version: string
  indexBuild: string
}

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
  writeOffs: WriteOff[]
}

export interface FleetHealth {
  silentNodes: number
  /** Credit that silent nodes hold. */
  inDoubtMicros: number
  isDashboardLive: boolean
}

export interface NodeStatus extends NodeFacts {
  node: string
  epoch: number
  /** False until a start has reported the usage of earlier epochs. */
  isSettled: boolean
  isWrittenOff: boolean
  /** True if its folder was recovered. It does not serve. */
  isGone: boolean
  /** Milliseconds since the node's last call. */
  silentMs: number
  /** True after NODE_LIVE_MS. */
  isSilent: boolean
  /** Committed transactions that the node has not reported as applied. */
  lag: number
  leases: number
  heldMicros: number
}

interface WriteOff {
  node: string
  epoch: number
  account: string
  micros: number
  timeMs: number
}

/** Row of text that the node with the dashboard keeps in the database, under a name such as `alerts`. */
export type DashboardRow = readonly [key: string, value: string]

export type DashboardRowChange = readonly [key: string, value: string | null]

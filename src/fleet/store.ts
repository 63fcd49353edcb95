/**
 * Rows that a node and the database of its fleet exchange. FLEET.md has the rules behind them. Amounts are micro-dollars, times are
 * milliseconds of the database's clock unless something else is said, accounts and keys are slots.
 */
import type { LedgerEvent } from '../ledger/event.ts'
import { FLEET_HEARTBEAT_MS } from './fleet-bounds.ts'

export interface NodeIdentity {
  /** A random UUID that lives in the node's folder. */
  node: string
  /** Raised by each start. Calls with an older one are refused with `FencedError`. */
  epoch: number
}

/** A committed transaction of the fleet, in the order that every node applies. */
export interface Committed {
  sequence: number
  timeMs: number
  events: readonly LedgerEvent[]
}

export interface KeyCounts {
  key: number
  /** By usage class, USAGE_CLASSES_MAX numbers. */
  queries: readonly number[]
}

/** The node needs more before a request can be decided, or soon. */
export interface Want {
  account: number
  /** The key that is to be charged, for its cap; null: for the account as such, ahead of need. */
  key: number | null
  /** Needed by the request that waits; 0: nobody waits. */
  neededMicros: number
  aheadMicros: number
  /** Queries to pass the rate limits: those of the request that waits, and those ahead of need. Both 0: none wanted. */
  neededAdmissions: number
  aheadAdmissions: number
}

/** Leases that the node gives back. All three have been taken from the live state before. */
export interface Return {
  account: number
  micros: number
  admissions: number
  caps: readonly { key: number; micros: number }[]
}

/** One exchange of a node with the database: reports first, then returns, then wants. */
export interface Exchange {
  /** From 1 in each epoch. A repetition with the same number returns the first answer and changes nothing. */
  number: number
  /** Keys whose counts have changed since they were last reported, as this node alone has counted them, over all epochs. */
  reports: readonly KeyCounts[]
  admitted: readonly { account: number; queries: number }[]
  returns: readonly Return[]
  /** At most one of each account. */
  wants: readonly Want[]
}

/** State of an account that was wanted; or that was only reported or returned, without grants. */
export interface AccountShare {
  account: number
  /** Granted now. A multiple of the price. */
  grantedMicros: number
  /** The account's balance as reported by all, less what this node holds of it: what it could still get at best. */
  elsewhereMicros: number
  cap: CapShare | null
  admission: Admission | null
}

export interface CapShare {
  key: number
  grantedMicros: number
  elsewhereMicros: number
  /** Milliseconds until the UTC month that this was granted for ends, and with it what is left. As in `Admission`. */
  validMs: number
}

export interface Admission {
  granted: number
  /** Milliseconds until what is granted ends, with its minute. A repetition has the first answer: count from when it was first sent. */
  validMs: number
  /** 0, or the milliseconds after which the needed number could pass; what other nodes hold unused would not be enough then. */
  waitMs: number
  /** Used in the present minute, hour and day by all nodes, as far as they have said. */
  counts: readonly [number, number, number]
}

export interface ExchangeAnswer {
  accounts: AccountShare[]
  /** Accounts of which this node should return what it does not need at once. */
  recalls: number[]
  sequence: number
}

export interface FleetImage {
  /** Sequence of the ledger that was moved here; 0: none was. Events follow it. */
  snapshotSequence: number
  position: string
  snapshot: AsyncIterable<Buffer>
  committed: AsyncIterable<Committed>
  /** Usage up to the end of a UTC hour, oldest first: it rebuilds the histories. */
  hours: AsyncIterable<KeyCounts & { hour: number }>
}

export interface FleetChanges {
  /** The newest committed sequence, which `committed` may not reach. */
  sequence: number
  committed: Committed[]
  /** Cumulative counts, of all nodes together, of the keys that have changed. A key may be repeated by the next call. */
  usage: KeyCounts[]
  position: string
}

/** Usage that an older copy of the database did not know to be leased by the node that had charged it. */
export interface Lacking {
  /** Taken from what was free, and booked. */
  coveredMicros: number
  /** More than was free: never charged, with an entry in `writeOffs`. */
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
  /** Over all accounts: what nodes hold, and how much of it is held by nodes that are silent. */
  leasedMicros: number
  inDoubtMicros: number
  dashboard: string | null
  writeOffs: WriteOff[]
}

export interface FleetHealth {
  /** Nodes that were not heard of for `NODE_LIVE_MS` and hold credit, and how much. */
  silentNodes: number
  inDoubtMicros: number
  isDashboardLive: boolean
}

export interface NodeStatus extends NodeFacts {
  node: string
  epoch: number
  /** False while a start has not reported yet what the earlier epochs have used. */
  isSettled: boolean
  isWrittenOff: boolean
  /** Its folder was recovered: it does not serve again. */
  isGone: boolean
  /** Milliseconds since the database heard of it, and whether that is too long for a node that works. */
  silentMs: number
  isSilent: boolean
  /** Committed transactions that it has not applied yet, as far as it has said. */
  lag: number
  leases: number
  heldMicros: number
}

export interface WriteOff {
  node: string
  epoch: number
  account: string
  micros: number
  timeMs: number
}

/** Returns a node's state in a word. It is late after three missed heartbeats. */
export function nodeState({ isWrittenOff, isGone, isSilent, isSettled, silentMs }: NodeStatus): string {
  if (isWrittenOff) return 'given up'
  if (isGone) return 'recovered'
  if (isSilent) return 'silent'
  if (silentMs > 3 * FLEET_HEARTBEAT_MS) return 'late'
  return isSettled ? 'serving' : 'starting'
}

/** A row of text that the node with the dashboard keeps in the database, under a name such as `alerts`. */
export type DashboardRow = readonly [key: string, value: string]

export type DashboardRowChange = readonly [key: string, value: string | null]

/**
 * What a node needs of the database that all nodes of a fleet share. FLEET.md has the rules behind it. Amounts are
 * micro-dollars, times are milliseconds of the database's clock unless something else is said, accounts and keys are slots.
 */
import type { LedgerEvent } from '../ledger/event.ts'

/** One node, as the database knows it. */
export interface NodeIdentity {
  /** A random UUID that lives in the node's folder. */
  node: string
  /** Raised by each start. Calls with an older one are refused with `FencedError`. */
  epoch: number
}

/** A committed transaction of the fleet, in the order that every node applies. */
export interface Committed {
  /** From 1, without gaps. */
  sequence: number
  timeMs: number
  events: readonly LedgerEvent[]
}

/** Cumulative counts of one key. */
export interface KeyCounts {
  key: number
  /** By usage class, USAGE_CLASSES_COUNT numbers. */
  queries: readonly number[]
}

/** What a key had used up to the end of a UTC hour; a load of these, oldest first, rebuilds its history. */
export interface KeyHour extends KeyCounts {
  /** Hours since 1970. */
  hour: number
}

/** The node needs more before a request can be decided, or soon. */
export interface Want {
  account: number
  /** The key that is to be charged, for its cap; null: for the account as such, ahead of need. */
  key: number | null
  /** What must be had for the request that waits; 0: nobody waits. */
  neededMicros: number
  /** What the node would like to have in addition, by the account's recent rate. */
  aheadMicros: number
  /** Queries to pass the rate limits: those of the request that waits, and those ahead of need. Both 0: none wanted. */
  neededAdmissions: number
  aheadAdmissions: number
}

/** What the node gives back. All three have been taken from the live state before. */
export interface Return {
  account: number
  micros: number
  /** Of the window that they were granted for. */
  admissions: number
  /** Cap quota given back, by key. */
  caps: readonly { key: number; micros: number }[]
}

/** One exchange of a node with the database: reports first, then returns, then wants. */
export interface Exchange {
  /** From 1 in each epoch. A repetition with the same number returns the first answer and changes nothing. */
  number: number
  /** Keys whose counts have changed since they were last reported, as this node alone has counted them, over all epochs. */
  reports: readonly KeyCounts[]
  /** Admissions used since the last exchange, by account. */
  admitted: readonly { account: number; queries: number }[]
  returns: readonly Return[]
  wants: readonly Want[]
}

/** What the database says of an account that the exchange has touched. */
export interface AccountShare {
  account: number
  /** Granted now. A multiple of the price. */
  grantedMicros: number
  /** The account's balance as reported by all, less what this node holds of it: what it could still get at best. */
  elsewhereMicros: number
  /** Whether other nodes hold some of it, so that waiting may help. They have been asked to return it. */
  isHeldElsewhere: boolean
  /** For the key of the want that has a cap: granted now, and what it could still get at best. Null without a cap. */
  cap: { key: number; grantedMicros: number; elsewhereMicros: number } | null
  /** For accounts with rate limits that wanted admissions. */
  admission: Admission | null
}

export interface Admission {
  granted: number
  /** Milliseconds from the moment the database answered until what is granted ends, and with it the minute. */
  validMs: number
  /** 0, or the milliseconds after which the needed number could pass; other nodes hold no unused admissions then. */
  waitMs: number
  isHeldElsewhere: boolean
  /** Counted in the present minute, hour and day, of all nodes. */
  counts: readonly [number, number, number]
}

export interface ExchangeAnswer {
  accounts: AccountShare[]
  /** Accounts of which this node should return what it does not need at once. */
  recalls: number[]
  /** The newest committed sequence. */
  sequence: number
}

/** All that a starting node loads, of one moment. */
export interface FleetImage {
  fleet: string
  committed: AsyncIterable<Committed>
  hours: AsyncIterable<KeyHour>
  /** Where the changes after this image begin. */
  position: string
}

/** Changes since a position, of one moment. */
export interface FleetChanges {
  committed: Committed[]
  /** Cumulative counts, of all nodes together, of the keys that have changed. A key may be repeated by the next call. */
  usage: KeyCounts[]
  /** Where the next call continues. */
  position: string
}

/** What `FleetStore.notices` brings. A lost connection is bridged by polling. */
export type FleetNotice = { kind: 'committed'; sequence: number } | { kind: 'recall'; account: number }

export interface FleetStore {
  /**
   * Commits events if `after` is still the newest sequence, and returns the new one and its time.
   * @throws StaleError when another node was faster: read the changes, decide again
   * @throws UnavailableError when the database does not answer; whether it has committed is then unknown until the next read
   */
  commit(identity: NodeIdentity, after: number, events: readonly LedgerEvent[]): Promise<Committed>
  /** Has all nodes return what they hold of an account, and refuses new leases for `ms`. Resolves with what is not leased. */
  recall(
    identity: NodeIdentity,
    account: number,
    ms: number,
  ): Promise<{ freeMicros: number; isHeld: boolean }>
  exchange(identity: NodeIdentity, exchange: Exchange): Promise<ExchangeAnswer>
  image(): Promise<FleetImage>
  changes(afterSequence: number, position: string): Promise<FleetChanges>
  /** Registers a node, or its next epoch: everything that it held under earlier ones stays leased until `settle`. */
  begin(node: string, facts: NodeFacts): Promise<{ epoch: number; fleet: string; sequence: number }>
  /** Reports what the earlier epochs of this node have used, all of it, and returns the rest of what they held. Exact. */
  settle(identity: NodeIdentity, counts: readonly KeyCounts[]): Promise<void>
  /** Notices from other nodes, until `close`. */
  listen(onNotice: (notice: FleetNotice) => void): void
  close(): Promise<void>
}

/** What a node says of itself, for `postrie fleet status`. */
export interface NodeFacts {
  /** Host and port of the API. */
  address: string
  version: string
  indexBuild: string
}

export { StaleError } from '../accounts/account-store.ts'

/** A later start of the same node has taken over: this process must end. */
export class FencedError extends Error {}
/** The database does not answer in time, or not at all. */
export class UnavailableError extends Error {}

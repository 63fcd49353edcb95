/**
 * What a node needs of the database that all nodes of a fleet share. FLEET.md has the rules behind it. Amounts are
 * micro-dollars, times are milliseconds of the database's clock unless something else is said, accounts and keys are slots.
 */
import type { LedgerEvent } from '../ledger/event.ts'
import type { RowStore } from './row-store.ts'

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

/**
 * What the database says of an account that the exchange has touched: one share for each want, in any order, and one without
 * grants for each account that was reported or returned and not wanted.
 */
export interface AccountShare {
  account: number
  /** Granted now. A multiple of the price. */
  grantedMicros: number
  /** The account's balance as reported by all, less what this node holds of it: what it could still get at best. */
  elsewhereMicros: number
  /** Whether other nodes hold some of it, so that waiting may help. They have been asked to return it. */
  isHeldElsewhere: boolean
  /** For the key of the want, when it has a cap. */
  cap: CapShare | null
  /** For accounts with rate limits that wanted admissions. */
  admission: Admission | null
}

export interface CapShare {
  key: number
  /** Granted now. */
  grantedMicros: number
  /** What it could still get at best. */
  elsewhereMicros: number
  /** Milliseconds until the UTC month that this was granted for ends, and with it what is left. As in `Admission`. */
  validMs: number
}

export interface Admission {
  granted: number
  /**
   * Milliseconds from the moment the database decided until what is granted ends, and with it the minute. A repeated exchange
   * has the first answer, so a node counts from when it first sent the exchange.
   */
  validMs: number
  /** 0, or the milliseconds after which the needed number could pass; what other nodes hold unused would not be enough then. */
  waitMs: number
  /** Whether returns of other nodes could make the needed number pass. They have been asked for them. */
  isHeldElsewhere: boolean
  /** Used in the present minute, hour and day by all nodes, as far as they have said. */
  counts: readonly [number, number, number]
}

export interface ExchangeAnswer {
  accounts: AccountShare[]
  /** Accounts of which this node should return what it does not need at once. */
  recalls: number[]
  /**
   * Accounts that were left out, because a transaction of somebody else holds their rows: nothing of them was booked, returned or
   * granted. The next exchange should have them again.
   */
  left: number[]
  /** The newest committed sequence. */
  sequence: number
}

/** All that a starting node loads, of one moment. */
export interface FleetImage {
  fleet: string
  /** The newest sequence of that moment. */
  sequence: number
  /** Where `changes` continues. */
  position: string
  committed: AsyncIterable<Committed>
  hours: AsyncIterable<KeyHour>
  /** Ends the reading. Also needed when both have been read to their end. */
  close(): Promise<void>
}

/** Changes since a position, of one moment. */
export interface FleetChanges {
  committed: Committed[]
  /** False: there is more, and the next call should follow at once. `usage` may be empty until all events have been read. */
  isComplete: boolean
  /** Cumulative counts, of all nodes together, of the keys that have changed. A key may be repeated by the next call. */
  usage: KeyCounts[]
  /** Where the next call continues. */
  position: string
}

/** What `FleetStore.notices` brings. A lost connection is bridged by polling. */
export type FleetNotice = { kind: 'committed'; sequence: number } | { kind: 'recall'; account: number }

export interface FleetStore extends RowStore {
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
  /** Waits a moment for an account whose rows another transaction holds, then leaves it out; see `left`. */
  exchange(identity: NodeIdentity, exchange: Exchange): Promise<ExchangeAnswer>
  image(): Promise<FleetImage>
  /** @throws RefusedError when there are fewer transactions: the database was replaced by an older copy */
  changes(afterSequence: number, position: string): Promise<FleetChanges>
  /**
   * Notes the next start of a node in its folder. False when the database knows of a later one than the folder: the folder is a copy,
   * and another one has been started since. May be repeated with the same `next`.
   */
  claim(node: string, last: string | null, next: string, number: number): Promise<boolean>
  /** Registers a node, or its next epoch: everything that it held under earlier ones stays leased until `settle`. */
  begin(node: string, facts: NodeFacts): Promise<{ epoch: number; fleet: string; sequence: number }>
  /**
   * Reports what the earlier epochs of this node have used, all of it, and returns the rest of what they held. Exact. Resolves
   * with counts that are greater in the database than in the journal, which must be raised to them: the journal has lost its
   * end. May be repeated.
   * @param onLacking what to do when the counts exceed what the database knows the node to hold, because it was replaced by an
   *   older copy: the missing part is taken from what is free of each account, and `onLacking` is called. Without it they are refused.
   */
  settle(
    identity: NodeIdentity,
    counts: readonly KeyCounts[],
    onLacking?: (lacking: Lacking) => void,
  ): Promise<KeyCounts[]>
  /** The node has settled and will not serve again: its counts join those of all that are gone. May be repeated; it may begin again. */
  retire(identity: NodeIdentity): Promise<void>
  /** Says again what the node runs, and the newest sequence that it has applied. */
  describe(identity: NodeIdentity, facts: NodeFacts, appliedSequence: number): Promise<void>
  /**
   * Gives up the leases of a node that has been silent for `WRITE_OFF_MS`. What it held is free again.
   * @throws RefusedError when it was heard of since
   */
  writeOff(node: string): Promise<WrittenOff>
  /** The same for all nodes that have been silent for so long and hold something. Resolves with their ids. */
  writeOffSilent(): Promise<string[]>
  /** Which node has the dashboard: the caller, unless another one has it that may come back. */
  claimDashboard(identity: NodeIdentity): Promise<{ node: string; address: string }>
  /** Gives the dashboard to a node, whose next start takes it. @throws RefusedError while another one has it that is live */
  moveDashboard(node: string): Promise<void>
  /** Adds lines of this node's audit log. */
  addAudit(node: string, lines: readonly string[]): Promise<void>
  /** The next lines of other nodes, the oldest first; `upto` is what to call `auditSeen` with once they have been taken. */
  readAudit(node: string, linesMax: number): Promise<{ lines: string[]; upto: number }>
  auditSeen(node: string, upto: number): Promise<void>
  /** Thins out old histories, and drops old lines of the audit log. Any node may call it, a few times a day; costs little when there is nothing to do. */
  tidy(): Promise<void>
  status(): Promise<FleetStatus>
  /** The database's clock: milliseconds since 1970. */
  nowMs(): Promise<number>
  /** Notices from other nodes, until `close`. */
  listen(onNotice: (notice: FleetNotice) => void): void
  close(): Promise<void>
}

/** What an older copy of the database did not know to be held by a node that had charged it. */
export interface Lacking {
  /** Taken from what was free, and booked. */
  coveredMicros: number
  /** More than was free: never charged, with an entry in `writeOffs`. */
  forgivenMicros: number
}

/** What a node says of itself, for `postrie fleet status`. */
export interface NodeFacts {
  /** Host and port of the API. */
  address: string
  version: string
  indexBuild: string
}

/** For `postrie fleet status` and the operator's pages. */
export interface FleetStatus {
  fleet: string
  sequence: number
  nodes: NodeStatus[]
  accounts: number
  keys: number
  /** Over all accounts: what nodes hold, and how much of it is held by nodes that are silent. */
  leasedMicros: number
  inDoubtMicros: number
  /** When all accounts were moved to the ledger of one node, and its DATA_DIR: no node starts any more. Null: they are here. */
  moved: { timeMs: number; folder: string } | null
  /** The node that has the dashboard; null: none has asked for it. */
  dashboard: string | null
  /** The newest first, at most `WRITE_OFFS_SHOWN_MAX`. */
  writeOffs: WriteOff[]
}

export interface NodeStatus extends NodeFacts {
  node: string
  epoch: number
  /** False while a start has not reported yet what the earlier epochs have used. */
  isSettled: boolean
  isWrittenOff: boolean
  /** Milliseconds since the database heard of it, and whether that is too long for a node that works. */
  silentMs: number
  isSilent: boolean
  /** Committed transactions that it has not applied yet, as far as it has said. */
  lag: number
  /** Accounts of which it holds something, and how much in all. */
  leases: number
  heldMicros: number
}

/** One account's part of what was given up with a node. */
export interface WriteOff {
  node: string
  epoch: number
  account: number
  micros: number
  timeMs: number
}

export interface WrittenOff {
  accounts: number
  micros: number
}

/** The node has been replaced by its own next epoch, or by a move: it must stop charging at once. */
export class FencedError extends Error {}
/** The same, because its leases were given up while it was silent. It may begin its next epoch at once. */
export class GivenUpError extends FencedError {}
/** Another node was faster, or less is free than would be taken: read the changes, recall, decide again. */
export { StaleError } from '../accounts/account-store.ts'
/** The database did not answer in time, or is not in a state to. The same call may be made again. */
export class UnavailableError extends Error {}
/** A transaction of somebody else holds a row that the call needs. Nothing was changed. */
export class LockedError extends UnavailableError {}
/** The database refuses the call, and would refuse it again. Nothing was changed: a fault of the caller. */
export class RefusedError extends Error {}

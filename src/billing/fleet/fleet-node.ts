/** Runs a node of a fleet: commits commands, follows other nodes' commits, and compares the clocks. */

import { inTurn } from '../../platform/in-turn.ts'
import { counter, gauge, type Metric } from '../../platform/metric.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { AccountError } from '../accounts/account-error.ts'
import { type AccountStore, StaleError } from '../accounts/account-store.ts'
import { Listeners } from '../accounts/audited-changes.ts'
import type { Shortfall } from '../accounts/charging/charging.ts'
import type { CommandContext } from '../accounts/commands/command-context.ts'
import { CLOCK_AHEAD_MS } from '../accounts/live/live-layout.ts'
import type { LiveState } from '../accounts/live/live-state.ts'
import { openAll, renew } from '../accounts/refills.ts'
import type { Book } from '../ledger/book/book.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Clock, systemClock } from '../ledger/timeline.ts'
import { dollars } from '../money.ts'
import { FencedError, UnavailableError } from './database-errors.ts'
import { type HeldCounters, heldCounters } from './held.ts'
import { mirrorMissing, type Replica } from './journal.ts'
import {
  allowCharges,
  type Exchanges,
  exchangesOf,
  FLEET_SILENT_MS_MAX,
  type Leases,
  leasesOf,
} from './leases.ts'
import type { Committed, FleetHealth, NodeFacts, NodeIdentity } from './messages.ts'
import type { FleetNotices, PostgresStore } from './postgres-store.ts'
import { TRANSACTIONS_PER_READ_MAX, WRITE_OFF_MS } from './postgres-store.ts'

/** Time between reads of other nodes' commits, in case a notice was lost. */
const FLEET_POLL_MS = 500
/** Attempts of a command that loses to commands of other nodes. */
const FLEET_COMMAND_ATTEMPTS = 50
/** Time that a debiting command waits for other nodes to return their leases. */
const FLEET_RECALL_MS = 2000
/** Difference between the clocks of a node and of the database that is reported. */
const FLEET_CLOCKS_APART_MS = 5000
/** Time between descriptions of a node for `postrie fleet status`. */
const FLEET_DESCRIBE_MS = 5000
/** Time between rounds of upkeep of the database, by any node. */
const FLEET_UPKEEP_MS = HOUR_MS

/** Time between checks of a recall. */
const RECALL_RETRY_MS = 20
/** Largest value of a word of the header. */
const WORD_MAX = 2 ** 31 - 1

const AWAY =
  `the database of the fleet does not answer: this node charges what it holds, for ${FLEET_SILENT_MS_MAX / HOUR_MS} hours at most, ` +
  'and answers 503 to all else'

export interface FleetNodeParts {
  replica: Replica
  journal: Ledger
  live: LiveState
  store: PostgresStore
  identity: NodeIdentity
  facts: NodeFacts
  position: string
  clock?: Clock
  onNotice: (notice: string) => void
}

export class FleetNode implements AccountStore, FleetNotices {
  readonly book: Book
  /** The database's clock as last measured. Expiries then happen on all nodes at once. */
  readonly timeline: { nowMs(): number }
  readonly listeners = new Listeners<string[]>()
  readonly held: HeldCounters
  readonly #parts: FleetNodeParts
  readonly #exchanges: Exchanges
  #leases: Leases | null = null
  #fail: (error: unknown) => void = () => {}
  /** Free credit of an account after its leases were recalled for a debit, unless a silent node keeps some. */
  #free: { account: number; micros: number; isLeased: boolean } | null = null
  #position: string
  /** Serialises reads and commits, so that the book changes in order. */
  readonly #changing = inTurn()
  /** Serialises commands: of two decided on one state of the book, only one could commit. */
  readonly #commands = inTurn()
  readonly #timers: NodeJS.Timeout[] = []
  #isClosed = false
  /** True while the clocks differ by more than FLEET_CLOCKS_APART_MS. */
  #areClocksApart = false
  /** Time of the last complete catch-up, by the monotonic clock. */
  #caughtUpMs = performance.now()
  #health: FleetHealth = { silentNodes: 0, inDoubtMicros: 0, isDashboardLive: true }

  constructor(parts: FleetNodeParts) {
    const { live, journal, replica, store, identity, clock = systemClock, onNotice } = parts
    this.#parts = parts
    this.#position = parts.position
    this.book = replica.book
    this.timeline = { nowMs: () => journal.timeline.nowMs() + live.header[CLOCK_AHEAD_MS] }
    this.held = heldCounters(live, journal, replica)
    openAll(this.held, live)
    this.#exchanges = exchangesOf({
      ...{ store, identity, clock, header: live.header },
      onAway: isAway => {
        onNotice(isAway ? AWAY : 'the database of the fleet answers again')
        if (isAway) this.#leases?.giveUp()
      },
    })
    store.notices = this
  }

  start(context: CommandContext): void {
    const { store, journal, onNotice } = this.#parts
    const { held } = this
    const { send, isAway } = this.#exchanges
    this.#fail = error => context.fail(error)
    this.#leases = leasesOf({ journal, flusher: context.flusher, held, send, isAway, onFail: this.#fail })
    this.#leases.start()
    this.#every(FLEET_POLL_MS, () => this.#readChanges())
    this.#every(FLEET_DESCRIBE_MS, async () => {
      await this.describe()
      this.#health = await store.health()
    })
    this.#every(FLEET_UPKEEP_MS, async () => {
      const writtenOff = await store.writeOffSilent()
      if (writtenOff.length > 0)
        onNotice(
          `wrote off nodes that were silent for ${WRITE_OFF_MS / HOUR_MS} hours, in the customers' favour: ${writtenOff.join(', ')}`,
        )
      await store.tidy()
    })
  }

  onCommitted(sequence: number): void {
    if (sequence > this.#parts.replica.sequence) void this.#try(() => this.#readChanges())
  }

  onRecall(account: number): void {
    this.#leases?.recall(account)
  }

  /** @throws AccountError UNAVAILABLE for more than the free credit while a node keeps the rest: it would become a balance beside a debt */
  take(account: AccountRecord, micros: number): number {
    if (this.#free?.account !== account.slot) throw new StaleError()
    if (micros > this.#free.micros && this.#free.isLeased)
      throw new AccountError(
        'UNAVAILABLE',
        `A silent node holds credit of ${account.id}. Start the node, or write it off, and try again.`,
      )
    return Math.min(this.#free.micros, micros)
  }

  booked(keys: readonly KeyRecord[]): void {
    this.#leases?.charged(keys)
  }

  async lease(shortfall: Shortfall, msMax: number): Promise<boolean> {
    return this.#leases?.lease(shortfall, msMax) ?? false
  }

  record(...events: LedgerEvent[]): Promise<void> {
    return this.#inTurn(async () => {
      const { store, identity, replica } = this.#parts
      const committed = await store.commit(identity, replica.sequence, events)
      await this.#apply(committed, true)
    })
  }

  catchUp(): Promise<void> {
    return orUnavailable(this.#readChanges())
  }

  /** Resolves at once: everything in the book is committed. */
  async untilDurable(): Promise<void> {}

  run<T>(command: () => Promise<T>, debited?: AccountRecord): Promise<T> {
    return this.#commands(() => this.#attempt(command, debited))
  }

  /** Reports this node's facts and measures the clock difference, exact to half the round trip. @throws UnavailableError, FencedError */
  async describe(): Promise<void> {
    const { store, identity, facts, replica, journal, live, onNotice } = this.#parts
    const { timeline } = journal
    const [askedMs, wallMs] = [timeline.nowMs(), timeline.wallMs()]
    const databaseMs = await store.describe(identity, facts, replica.sequence)
    allowCharges(live.header, wallMs)
    const tookMs = Math.max(0, timeline.nowMs() - askedMs)
    const aheadMs = Math.round(databaseMs - askedMs - tookMs / 2)
    live.header[CLOCK_AHEAD_MS] = Math.max(-WORD_MAX, Math.min(WORD_MAX, aheadMs))
    const areApart = Math.abs(aheadMs) > FLEET_CLOCKS_APART_MS
    if (areApart && !this.#areClocksApart) {
      const seconds = Math.round(Math.abs(aheadMs) / 1000)
      onNotice(
        `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} the database's clock. The database's clock is used: synchronise both machines`,
      )
    }
    this.#areClocksApart = areApart
  }

  /** Reports facts that have changed. The next regular report would be some seconds late. */
  describeSoon(): void {
    void this.#try(() => this.describe())
  }

  metrics(): Metric[] {
    const { identity, live } = this.#parts
    const { isAway, exchanges, silentMs } = this.#exchanges.state()
    const { silentNodes, inDoubtMicros, isDashboardLive } = this.#health
    return [
      gauge('postrie_fleet_epoch', 'Starts of this node.', identity.epoch),
      gauge(
        'postrie_fleet_behind_seconds',
        'Seconds since this node last knew all changes of other nodes. A revocation may be missed for this time.',
        (performance.now() - this.#caughtUpMs) / 1000,
      ),
      gauge(
        'postrie_fleet_clock_ahead_seconds',
        "Lead of the database's clock.",
        live.header[CLOCK_AHEAD_MS] / 1000,
      ),
      gauge('postrie_fleet_database_up', '1 while the database answers.', isAway ? 0 : 1),
      counter('postrie_fleet_exchanges_total', 'Exchanges with the database.', exchanges),
      gauge('postrie_fleet_unanswered_seconds', 'Since the last answer.', silentMs / 1000),
      gauge('postrie_fleet_accounts_held', 'Accounts leased from.', this.#leases?.size ?? 0),
      gauge('postrie_fleet_silent_nodes', 'Silent nodes that hold credit.', silentNodes),
      gauge('postrie_fleet_in_doubt_dollars', 'Credit that silent nodes hold.', dollars(inDoubtMicros)),
      gauge('postrie_fleet_dashboard_up', '1 while the dashboard answers.', isDashboardLive ? 1 : 0),
    ]
  }

  /** Ends the repetition of exchanges. */
  stop(): void {
    this.#exchanges.stop()
  }

  /** Reports all charges and returns all leases. If the database is away, the next start reports the rest. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearInterval(timer)
    this.stop()
    await this.#leases?.stop().catch(() => {})
    await this.#parts.store.close()
  }

  async #attempt<T>(command: () => Promise<T>, debited: AccountRecord | undefined): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (debited !== undefined) await orUnavailable(this.#recallAll(debited.slot))
        return await orUnavailable(command())
      } catch (error) {
        // The next exchange is fenced as well, and ends the node.
        if (error instanceof FencedError)
          throw new AccountError('UNAVAILABLE', `Restart this node: ${error.message}`, { cause: error })
        if (!(error instanceof StaleError)) throw error
        if (attempt === FLEET_COMMAND_ATTEMPTS)
          throw new AccountError(
            'UNAVAILABLE',
            'Other nodes changed the account first, each time. Try again.',
          )
        await this.catchUp()
      }
    }
  }

  /** Recalls the account's leases from all nodes, so that a command can debit them. */
  async #recallAll(account: number): Promise<void> {
    const { store, identity } = this.#parts
    this.#free = null
    this.#leases?.recall(account)
    const endMs = performance.now() + FLEET_RECALL_MS
    for (;;) {
      const { freeMicros, isLeased } = await store.recall(identity, account, FLEET_RECALL_MS)
      this.#free = { account, micros: freeMicros, isLeased }
      // A silent node does not return its lease.
      if (!isLeased || performance.now() > endMs) return
      await new Promise(resolve => setTimeout(resolve, RECALL_RETRY_MS))
    }
  }

  #every(ms: number, work: () => Promise<void>): void {
    let isRunning = false
    const run = async (): Promise<void> => {
      if (isRunning) return
      isRunning = true
      await this.#try(work)
      isRunning = false
    }
    this.#timers.push(setInterval(run, ms).unref())
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof UnavailableError)) this.#fail(error)
    }
  }

  #readChanges(): Promise<void> {
    return this.#inTurn(async () => {
      const { store, replica } = this.#parts
      const askedMs = performance.now()
      let hasMore = true
      while (hasMore && !this.#isClosed) {
        const changes = await store.changes(replica.sequence, this.#position)
        for (const one of changes.committed) await this.#apply(one, false)
        const accounts = replica.applyUsage(changes.usage, this.timeline.nowMs())
        for (const account of accounts) this.held.stale.add(account)
        if (accounts.size > 0) this.listeners.notify([...accounts].map(({ id }) => id))
        this.#position = changes.position
        hasMore = changes.committed.length === TRANSACTIONS_PER_READ_MAX
      }
      // Skipped while the book is older than a lease: it would show too little.
      if (this.#leases !== null && replica.sequence >= this.#leases.sequence)
        for (const account of this.held.stale)
          if (this.#leases.isAtRest(account)) this.held.renewElsewhere(account)
      this.#caughtUpMs = askedMs
    })
  }

  /** Applies a committed transaction. Resolves when all threads see it. @param isOwn true if its command notifies the listeners */
  async #apply(committed: Committed, isOwn: boolean): Promise<void> {
    const { replica, journal } = this.#parts
    // Only the opening of an account or key has several events, all of the same.
    const [first] = committed.events
    replica.apply(committed)
    if (journal.book.slots.length < this.book.slots.length) await mirrorMissing(journal, this.book)
    renew(this.held, this.#parts.live, first)
    if (first.kind === 'adjust' || first.kind === 'closed')
      this.held.credit(this.book.account(first.account), -first.takenMicros)
    const { account } = this.book.subjectsOf(first)
    if (!isOwn && account !== null) this.listeners.notify([account.id])
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#changing(async () => {
      if (this.#isClosed) throw new UnavailableError('This node is stopping: ask another.')
      return work()
    })
  }
}

/** Turns an unavailable database into the error of a command. @throws AccountError UNAVAILABLE */
export async function orUnavailable<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    throw new AccountError('UNAVAILABLE', error.message, { cause: error })
  }
}

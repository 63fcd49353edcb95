/** Runs a node of a fleet: commits commands, follows other nodes' commits, and compares the clocks. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Listeners } from '../../platform/listeners.ts'
import { counter, gauge, type Metric } from '../../platform/metric.ts'
import { inTurn, repeat } from '../../platform/promises.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { AccountError } from '../accounts/account-error.ts'
import { type Debit, StaleError, type Transaction } from '../accounts/account-store.ts'
import { LIVE_HEADER } from '../accounts/live/live-layout.ts'
import { writeAll, writeEvent } from '../accounts/live/write-live.ts'
import type { AccountRecord } from '../ledger/book/record.ts'
import { dollars } from '../money.ts'
import { mirrorMissing, type Replica } from './books.ts'
import { FencedError, UnavailableError } from './database-errors.ts'
import { TRANSACTIONS_PER_READ_MAX, WRITE_OFF_MS } from './fleet-database.ts'
import { leasesOf, type NodeParts } from './leases.ts'
import type { Committed, FleetHealth, FreeCredit, NodeFacts } from './messages.ts'
import { nodeCounters } from './node-counters.ts'

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

type FleetNodeParts = NodeParts & { replica: Replica; facts: NodeFacts }

export function fleetNode(parts: FleetNodeParts) {
  const { live, ledger, replica, database, identity, facts, clock, onNotice, fail } = parts
  const { book } = replica
  const { words: header } = live
  const listeners = new Listeners<string[]>()
  /** Serialises reads and commits, so that the book changes in order. */
  const changing = inTurn()
  /** Serialises commands: of two decided on one state of the book, only one could commit. */
  const commands = inTurn()
  let isClosed = false
  /** True while the clocks differ by more than FLEET_CLOCKS_APART_MS. */
  let areClocksApart = false
  /** Time of the last complete catch-up, by the monotonic clock. */
  let caughtUpMs = clock.monotonicMs()
  let health: FleetHealth = { silentNodes: 0, inDoubtMicros: 0, isDashboardLive: true }

  /** The database's clock as last measured. Expiries then happen on all nodes at once. */
  const timeline = { nowMs: () => ledger.timeline.nowMs() + header[LIVE_HEADER.clockAheadMs] }
  const counters = nodeCounters(live, ledger, replica)
  const leases = leasesOf(parts, counters)
  writeAll(counters, live)
  database.notices = {
    onCommitted: sequence => {
      if (sequence > replica.sequence) void attempt(readChanges)
    },
    onRecall: leases.recall,
  }

  function start(): void {
    leases.start()
    every(FLEET_POLL_MS, readChanges)
    every(FLEET_DESCRIBE_MS, async () => {
      await describe()
      health = await database.health()
    })
    every(FLEET_UPKEEP_MS, async () => {
      const writtenOff = await database.writeOffSilent()
      if (writtenOff.length > 0)
        onNotice(
          `wrote off nodes that were silent for ${WRITE_OFF_MS / HOUR_MS} hours, in the customers' favour: ${writtenOff.join(', ')}`,
        )
      await database.tidy()
    })
  }

  function every(ms: number, work: () => Promise<void>): void {
    void repeat(
      ms,
      () => attempt(work),
      () => isClosed,
    )
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof UnavailableError)) fail(error)
    }
  }

  /** Reports this node's facts, and measures the clocks' difference. @throws UnavailableError, FencedError */
  async function describe(): Promise<void> {
    const askedMs = ledger.timeline.nowMs()
    const databaseMs = await database.describe(identity, facts, replica.sequence)
    const tookMs = Math.max(0, ledger.timeline.nowMs() - askedMs)
    const aheadMs = Math.round(databaseMs - askedMs - tookMs / 2)
    header[LIVE_HEADER.clockAheadMs] = Math.max(-WORD_MAX, Math.min(WORD_MAX, aheadMs))
    const areApart = Math.abs(aheadMs) > FLEET_CLOCKS_APART_MS
    if (areApart && !areClocksApart) {
      const seconds = Math.round(Math.abs(aheadMs) / 1000)
      onNotice(
        `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} the database's clock. The database's clock is used: synchronise both machines`,
      )
    }
    areClocksApart = areApart
  }

  /** Runs a command, and again after commands of other nodes. */
  async function untilCommitted<T>(
    command: (debit: Debit) => Promise<T>,
    debited: AccountRecord | undefined,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        const free = debited && (await recallAll(debited.slot))
        // The usage that came with the leases is deducted before.
        if (debited) await readChanges()
        return await command((account, micros) => debit(account, micros, free))
      } catch (error) {
        // The next exchange is fenced as well, and ends the node.
        if (error instanceof FencedError)
          throw new AccountError('UNAVAILABLE', `Restart this node: ${error.message}`, { cause: error })
        if (!(error instanceof StaleError)) throw error
        const text = 'Other nodes changed the account first, each time. Try again.'
        if (tries === FLEET_COMMAND_ATTEMPTS) throw new AccountError('UNAVAILABLE', text)
        await readChanges()
      }
    }
  }

  /** @throws AccountError UNAVAILABLE while a node keeps credit: no balance may stand beside a debt */
  function debit({ id }: AccountRecord, micros: number, free: FreeCredit | undefined): number {
    if (free === undefined) throw new StaleError()
    const text = `Another node still holds credit of ${id}. If it is down, start it or write it off. Then try again.`
    if (micros > free.freeMicros && free.isLeased) throw new AccountError('UNAVAILABLE', text)
    return Math.min(free.freeMicros, micros)
  }

  /** Recalls the account's leases from all nodes. Returns the credit that a command may debit. */
  async function recallAll(accountSlot: number): Promise<FreeCredit> {
    leases.recall(accountSlot)
    const endMs = clock.monotonicMs() + FLEET_RECALL_MS
    for (;;) {
      const free = await database.recall(identity, accountSlot, FLEET_RECALL_MS)
      // A silent node does not return its lease.
      if (!free.isLeased || clock.monotonicMs() > endMs) return free
      await sleep(RECALL_RETRY_MS)
    }
  }

  function readChanges(): Promise<void> {
    return whileOpen(async () => {
      const askedMs = clock.monotonicMs()
      let hasMore = true
      while (hasMore && !isClosed) {
        const changes = await database.changes(replica.sequence, replica.position)
        for (const one of changes.committed) {
          await apply(one)
          const { account } = book.subjectsOf(one.events[0])
          if (account !== null) listeners.notify([account.id])
        }
        const accounts = replica.applyUsage(changes.usage, timeline.nowMs())
        for (const account of accounts) counters.stale.add(account)
        if (accounts.size > 0) listeners.notify([...accounts].map(({ id }) => id))
        replica.position = changes.position
        hasMore = changes.committed.length === TRANSACTIONS_PER_READ_MAX
      }
      // Skipped while the book is older than a lease: it would show too little.
      if (replica.sequence >= leases.state().sequence)
        for (const account of counters.stale) if (leases.isAtRest(account)) counters.showBalance(account)
      caughtUpMs = askedMs
    })
  }

  /** Applies a transaction. Resolves when all threads see it. */
  async function apply(committed: Committed): Promise<void> {
    // Only the opening of an account or key has several events, all of the same.
    const [first] = committed.events
    replica.apply(committed)
    if (ledger.book.slots.length < book.slots.length) await mirrorMissing(ledger, book)
    writeEvent(counters, live, first)
    if (first.kind === 'adjust' || first.kind === 'closed')
      counters.changeBalance(book.account(first.account), -first.takenMicros)
  }

  function whileOpen<T>(work: () => Promise<T>): Promise<T> {
    return changing(async () => {
      if (isClosed) throw new UnavailableError('This node is stopping: ask another.')
      return work()
    })
  }

  return {
    book,
    timeline,
    listeners,
    noteBooked: leases.noteBooked,
    waitForLease: leases.waitForLease,
    record: (...events: Transaction) => {
      // A read of changes may be in progress. What it finds was not in the book that decided.
      const decidedOn = replica.sequence
      return whileOpen(async () => apply(await database.commit(identity, decidedOn, events)))
    },
    catchUp: () => orUnavailable(readChanges()),
    /** Resolves at once: everything in the book is committed. */
    async untilDurable() {},
    run: <T>(command: (debit: Debit) => Promise<T>, debited?: AccountRecord) =>
      commands(() => orUnavailable(untilCommitted(command, debited))),
    /** Reports all charges and returns all leases. While the database is away, the next start does. */
    async close() {
      isClosed = true
      await leases.close().catch(() => {})
      await database.close()
    },
    start,
    describe,
    leave: leases.leave,
    metrics(): Metric[] {
      const { isAway, exchanges, silentMs, accounts } = leases.state()
      const { silentNodes, inDoubtMicros, isDashboardLive } = health
      return [
        gauge('postrie_fleet_epoch', 'Starts of this node.', identity.epoch),
        gauge(
          'postrie_fleet_behind_seconds',
          'Seconds since this node last knew all changes of other nodes. A revocation may be missed for this time.',
          (clock.monotonicMs() - caughtUpMs) / 1000,
        ),
        gauge(
          'postrie_fleet_clock_ahead_seconds',
          "Lead of the database's clock.",
          header[LIVE_HEADER.clockAheadMs] / 1000,
        ),
        gauge('postrie_fleet_database_up', '1 while the database answers.', isAway ? 0 : 1),
        counter('postrie_fleet_exchanges_total', 'Exchanges with the database.', exchanges),
        gauge(
          'postrie_fleet_unanswered_seconds',
          'Seconds since the database last answered.',
          silentMs / 1000,
        ),
        gauge('postrie_fleet_accounts_held', 'Accounts with a lease on this node.', accounts),
        gauge('postrie_fleet_silent_nodes', 'Silent nodes that hold credit.', silentNodes),
        gauge('postrie_fleet_in_doubt_dollars', 'Credit that silent nodes hold.', dollars(inDoubtMicros)),
        gauge('postrie_fleet_dashboard_up', '1 while the dashboard answers.', isDashboardLive ? 1 : 0),
      ]
    },
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

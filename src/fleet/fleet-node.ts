/** One node of a fleet while it runs: commits commands, follows what others commit, and compares the clocks. */
import { AccountError } from '../accounts/account-error.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import { CHARGE_UNTIL_S, CLOCK_AHEAD_MS } from '../accounts/live/live-layout.ts'
import type { Book } from '../ledger/book/book.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import { FencedError, StaleError, UnavailableError } from './database-errors.ts'
import {
  FLEET_CLOCKS_APART_MS,
  FLEET_COMMAND_ATTEMPTS,
  FLEET_DESCRIBE_MS,
  FLEET_POLL_MS,
  FLEET_RECALL_MS,
  FLEET_SILENT_MS_MAX,
  FLEET_UPKEEP_MS,
  TRANSACTIONS_PER_READ_MAX,
} from './fleet-bounds.ts'
import type { Leases } from './leases.ts'
import type { FleetNotices, PostgresStore } from './postgres-store.ts'
import { type AppliedParts, applyCommitted } from './replica.ts'
import type { FleetHealth, NodeFacts, NodeIdentity } from './store.ts'

const RECALL_RETRY_MS = 20
const WORD_MAX = 2 ** 31 - 1

export interface FleetNodeParts extends AppliedParts {
  store: PostgresStore
  identity: NodeIdentity
  facts: NodeFacts
  position: string
  /** Header of the live state: server threads read the fleet's time there. */
  header: Int32Array
  onNotice: (notice: string) => void
  onFail: (error: Error) => void
}

export class FleetNode implements AccountStore, FleetNotices {
  readonly book: Book
  /** The database's clock, as far as the last measurement says. What ends at a time ends on all nodes at once. */
  readonly timeline: { nowMs(): number }
  readonly #parts: FleetNodeParts
  #leases: Leases | null = null
  #position: string
  /** Reading and committing, one after the other: the book changes in order. */
  readonly #changing = new Turns()
  /** Commands of one node wait for each other: two that decide on the same book could not both commit. */
  readonly #commands = new Turns()
  readonly #timers: NodeJS.Timeout[] = []
  #isClosed = false
  #isApart = false
  /** When this node last knew that it had missed nothing, by the monotonic clock. */
  caughtUpMs = performance.now()
  health: FleetHealth = { silentNodes: 0, inDoubtMicros: 0, isDashboardLive: true }

  constructor(parts: FleetNodeParts) {
    const { header, journal } = parts
    this.#parts = parts
    this.#position = parts.position
    this.book = parts.replica.book
    this.timeline = { nowMs: () => journal.timeline.nowMs() + header[CLOCK_AHEAD_MS] }
  }

  start(leases: Leases): void {
    const { store, onNotice } = this.#parts
    this.#leases = leases
    this.#every(FLEET_POLL_MS, () => this.#catchUp())
    this.#every(FLEET_DESCRIBE_MS, async () => {
      await this.describe()
      this.health = await store.health()
    })
    this.#every(FLEET_UPKEEP_MS, async () => {
      const given = await store.writeOffSilent()
      if (given.length > 0)
        onNotice(`given up after 24 hours of silence, in the customers' favour: ${given.join(', ')}`)
      await store.tidy()
    })
  }

  onCommitted(sequence: number): void {
    if (sequence > this.#parts.replica.sequence) void this.#try(() => this.#catchUp())
  }

  onRecall(account: number): void {
    this.#leases?.recall(account)
  }

  record(...events: LedgerEvent[]): Promise<void> {
    return this.#inTurn(async () => {
      const { store, identity, replica } = this.#parts
      const committed = await store.commit(identity, replica.sequence, events)
      await applyCommitted(this.#parts, committed, true)
    })
  }

  current(): Promise<void> {
    return orUnavailable(this.#catchUp())
  }

  /** The book has nothing that the database has not. */
  async settled(): Promise<void> {}

  run<T>(command: () => Promise<T>, takesFrom?: string): Promise<T> {
    return this.#commands.run(() => this.#run(command, takesFrom))
  }

  /** Says again what the node runs, and compares the clocks, to half the time that the answer takes. @throws UnavailableError, FencedError */
  async describe(): Promise<void> {
    const { store, identity, facts, replica, journal, header, onNotice } = this.#parts
    const { timeline } = journal
    const [askedMs, wallMs] = [timeline.nowMs(), timeline.wallMs()]
    const databaseMs = await store.describe(identity, facts, replica.sequence)
    allowCharges(header, wallMs)
    const tookMs = Math.max(0, timeline.nowMs() - askedMs)
    const aheadMs = Math.round(databaseMs - askedMs - tookMs / 2)
    header[CLOCK_AHEAD_MS] = Math.max(-WORD_MAX, Math.min(WORD_MAX, aheadMs))
    const isApart = Math.abs(aheadMs) > FLEET_CLOCKS_APART_MS
    if (isApart && !this.#isApart) {
      const seconds = Math.round(Math.abs(aheadMs) / 1000)
      onNotice(
        `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} that of the database, which counts: set both`,
      )
    }
    this.#isApart = isApart
  }

  factsChanged(): void {
    if (!this.#isClosed) void this.#try(() => this.describe())
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #run<T>(command: () => Promise<T>, takesFrom: string | undefined): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (takesFrom !== undefined) await orUnavailable(this.#recall(takesFrom))
        return await orUnavailable(command())
      } catch (error) {
        // The next exchange finds the same, and ends the node.
        if (error instanceof FencedError)
          throw new AccountError('UNAVAILABLE', `This node has to be started again: ${error.message}`, {
            cause: error,
          })
        if (!(error instanceof StaleError)) throw error
        if (attempt === FLEET_COMMAND_ATTEMPTS)
          throw new AccountError('UNAVAILABLE', 'Other nodes were faster each time: try again.')
        await this.current()
      }
    }
  }

  /** Has all nodes return what they hold of an account, so that a command may take it. */
  async #recall(idOrEmail: string): Promise<void> {
    const { store, identity, registry, leased } = this.#parts
    const account = registry.account(idOrEmail)
    leased.free = null
    // The command will say that there is none.
    if (account === undefined) return
    this.#leases?.recall(account.slot)
    const endMs = performance.now() + FLEET_RECALL_MS
    for (;;) {
      const { freeMicros, isLeased } = await store.recall(identity, account.slot, FLEET_RECALL_MS)
      leased.free = { account: account.slot, micros: freeMicros }
      // A silent node returns nothing: the rest becomes a debt.
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
      if (!(error instanceof UnavailableError))
        this.#parts.onFail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #catchUp(): Promise<void> {
    return this.#inTurn(async () => {
      const { store, replica, leased, listeners } = this.#parts
      const askedMs = performance.now()
      do {
        const changes = await store.changes(replica.sequence, this.#position)
        for (const one of changes.committed) await applyCommitted(this.#parts, one, false)
        const accounts = replica.applyUsage(changes.usage, this.timeline.nowMs())
        for (const account of accounts) leased.stale.add(account)
        if (accounts.size > 0) listeners.notify([...accounts].map(({ id }) => id))
        this.#position = changes.position
        if (changes.committed.length < TRANSACTIONS_PER_READ_MAX) break
      } while (!this.#isClosed)
      // A book that is older than a grant shows too little.
      if (replica.sequence >= leased.sequence)
        for (const account of leased.stale)
          if (this.#leases?.isAtRest(account)) leased.renewElsewhere(account)
      this.caughtUpMs = askedMs
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#changing.run(async () => {
      if (this.#isClosed) throw new UnavailableError('This node is stopping: ask another.')
      return work()
    })
  }
}

/** Allows charges for as long as the database keeps the leases of a node that it has answered. @param askedMs by the wall clock */
export function allowCharges(header: Int32Array, askedMs: number): void {
  header[CHARGE_UNTIL_S] = Math.floor((askedMs + FLEET_SILENT_MS_MAX) / 1000)
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

/** Work that is done one piece after the other, in the order in which it was handed in. A piece that fails stops none of the others. */
class Turns {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}

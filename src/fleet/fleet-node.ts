/** One node of a fleet while it runs: follows what others commit, commits itself, exchanges leases, and stops when it must. */
import type { AttachedThreads } from '../accounts/attached-threads.ts'
import type { Listeners } from '../accounts/listeners.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { AppliedEvents } from './applied-events.ts'
import type { FleetClock } from './fleet-clock.ts'
import type { CommandNode } from './fleet-commands.ts'
import type { FleetRegistry } from './fleet-registry.ts'
import type { Leases } from './leases.ts'
import { FLEET_DESCRIBE_MS, FLEET_POLL_MS, FLEET_RECALL_MS, FLEET_UPKEEP_MS } from './limits.ts'
import type { Replica } from './replica.ts'
import {
  type FleetNotice,
  type FleetStore,
  type NodeFacts,
  type NodeIdentity,
  UnavailableError,
} from './store.ts'

const RECALL_RETRY_MS = 20

export interface FleetNodeParts {
  store: FleetStore
  identity: NodeIdentity
  /** What the node says of itself; it may change. */
  facts: NodeFacts
  replica: Replica
  position: string
  journal: Ledger
  registry: FleetRegistry
  clock: FleetClock
  threads: AttachedThreads
  listeners: Listeners
}

export class FleetNode implements CommandNode {
  readonly book
  readonly timeline
  readonly #parts: FleetNodeParts
  readonly #applied: AppliedEvents
  #leases!: Leases
  #position: string
  /** Reading and committing, one after the other: the book changes in order. */
  #last: Promise<unknown> = Promise.resolve()
  #poll: NodeJS.Timeout | undefined
  readonly #timers: NodeJS.Timeout[] = []
  #closed = false
  /** When this node last knew that it had missed nothing, by the monotonic clock. */
  currentMs = performance.now()
  onFail: (error: Error) => void = () => {}
  onNotice: (notice: string) => void = () => {}

  constructor(parts: FleetNodeParts) {
    this.#parts = parts
    this.#position = parts.position
    this.book = parts.replica.book
    this.timeline = parts.clock
    this.#applied = new AppliedEvents(parts)
  }

  start(leases: Leases): void {
    this.#leases = leases
    this.#parts.store.listen(notice => this.#noticed(notice))
    this.#pollLater()
    const { store, identity, facts, replica } = this.#parts
    this.#every(FLEET_DESCRIBE_MS, () => store.describe(identity, facts, replica.sequence))
    this.#every(FLEET_DESCRIBE_MS, () => this.#parts.clock.measure())
    this.#every(FLEET_UPKEEP_MS, async () => {
      const given = await store.writeOffSilent()
      if (given.length > 0)
        this.onNotice(`given up after 24 hours of silence, in the customers' favour: ${given.join(', ')}`)
      await store.tidy()
    })
  }

  commit(events: readonly LedgerEvent[]): Promise<void> {
    return this.#inTurn(async () => {
      const { store, identity, replica } = this.#parts
      const committed = await store.commit(identity, replica.sequence, events)
      await this.#applied.apply(committed, true)
    })
  }

  catchUp(): Promise<void> {
    return this.#inTurn(() => this.#readChanges())
  }

  async recall(idOrEmail: string): Promise<void> {
    const { store, identity, registry } = this.#parts
    const account = registry.account(idOrEmail)
    registry.free = null
    // The command will say that there is none.
    if (account === undefined) return
    this.#leases.recall(account.slot)
    const endMs = performance.now() + FLEET_RECALL_MS
    for (;;) {
      const { freeMicros, isHeld } = await store.recall(identity, account.slot, FLEET_RECALL_MS)
      registry.free = { account: account.slot, micros: freeMicros }
      // What a silent node holds cannot be waited for: the rest becomes a debt.
      if (!isHeld || performance.now() > endMs) return
      await new Promise(resolve => setTimeout(resolve, RECALL_RETRY_MS))
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#poll)
    for (const timer of this.#timers) clearInterval(timer)
  }

  #noticed(notice: FleetNotice): void {
    if (this.#closed) return
    if (notice.kind === 'recall') this.#leases.recall(notice.account)
    else if (notice.sequence > this.#parts.replica.sequence) this.#follow()
  }

  #pollLater(): void {
    if (this.#closed) return
    this.#poll = setTimeout(() => this.#follow().then(() => this.#pollLater()), FLEET_POLL_MS).unref()
  }

  #every(ms: number, work: () => Promise<void>): void {
    this.#timers.push(setInterval(() => this.#try(work), ms).unref())
  }

  #follow(): Promise<void> {
    return this.#try(() => this.catchUp())
  }

  /** A database that is away is asked again the next time. */
  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof UnavailableError))
        this.onFail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  async #readChanges(): Promise<void> {
    const { store, replica, registry, listeners } = this.#parts
    const askedMs = performance.now()
    for (let isComplete = false; !isComplete && !this.#closed; ) {
      const changes = await store.changes(replica.sequence, this.#position)
      if (this.#closed) return
      for (const one of changes.committed) await this.#applied.apply(one, false)
      const accounts = replica.use(changes.usage, this.timeline.nowMs())
      for (const slot of accounts)
        if (!this.#leases.holds(slot)) registry.renewElsewhere(this.book.account(slot))
      this.#position = changes.position
      isComplete = changes.isComplete
      if (accounts.size > 0 && !listeners.isEmpty)
        listeners.notify('usage', ...[...accounts].map(slot => this.book.account(slot).id))
    }
    this.currentMs = askedMs
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      if (this.#closed) throw new UnavailableError('the node is stopping')
      return work()
    })
    this.#last = result.catch(() => {})
    return result
  }
}

/** What all commands share: where to commit, the live records to change, and the listeners to notify. */
import type { AccountRecord, KeyRecord } from '../../ledger/book/record.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import { COMMANDS_WAITING_MAX } from '../../limits.ts'
import { type AccountStore, StaleError } from '../account-store.ts'
import { presentActor } from '../actor.ts'
import type { AttachedThreads } from '../attached-threads.ts'
import type { Flusher } from '../charging/flusher.ts'
import { type Deed, deedsOf } from '../deeds.ts'
import { AccountError } from '../errors.ts'
import type { Listeners } from '../listeners.ts'
import type { Registry } from '../registry.ts'

export interface CommandParts {
  readonly ledger: AccountStore
  readonly registry: Registry
  readonly listeners: Listeners
  readonly threads: AttachedThreads
  readonly flusher: Flusher
}

export class CommandContext {
  readonly ledger: AccountStore
  readonly registry: Registry
  readonly listeners: Listeners
  readonly threads: AttachedThreads
  readonly flusher: Flusher
  /** False after the first failed write, and after closing. */
  open = true
  #waiting = 0
  readonly #deeds = new Set<(deed: Deed) => void>()

  constructor({ ledger, registry, listeners, threads, flusher }: CommandParts) {
    this.ledger = ledger
    this.registry = registry
    this.listeners = listeners
    this.threads = threads
    this.flusher = flusher
  }

  /** Carries out a command: see `AccountStore.run`. */
  run<T>(command: (context: CommandContext) => Promise<T>, takesFrom?: string): Promise<T> {
    return this.ledger.run(() => command(this), takesFrom)
  }

  /** An account by id or email. @throws ACCOUNT_NOT_FOUND */
  account(idOrEmail: string): AccountRecord {
    const account = this.registry.account(idOrEmail)
    if (account !== undefined) return account
    throw new AccountError('ACCOUNT_NOT_FOUND', `There is no account ${JSON.stringify(idOrEmail)}.`)
  }

  /** @throws KEY_NOT_FOUND */
  key(id: string): KeyRecord {
    const key = this.registry.key(id)
    if (key !== undefined) return key
    throw new AccountError('KEY_NOT_FOUND', `There is no key ${JSON.stringify(id)}.`)
  }

  /**
   * Applies events to the book at once and resolves when they are durable. Whatever the caller changes between the call
   * and the await takes effect on the next request. @throws UNAVAILABLE, before anything has changed
   */
  commit(...events: LedgerEvent[]): Promise<void> {
    this.#expectOpen()
    const durable = this.#durable(this.ledger.record(...events))
    if (this.#deeds.size === 0) return durable
    const actor = presentActor()
    return durable.then(() => this.#report(deedsOf(this.ledger.book, events, actor)))
  }

  /** Calls `listener` with each durable change and who made it; returns a function that ends this. */
  onDeed(listener: (deed: Deed) => void): () => void {
    this.#deeds.add(listener)
    return () => this.#deeds.delete(listener)
  }

  /** Resolves when everything so far is durable: also a command that finds nothing to do may only then say so. */
  settled(): Promise<void> {
    this.#expectOpen()
    return this.#durable(this.ledger.settled())
  }

  /** Whether there is room for one more account or key. Another command may take it during any await. */
  get hasRoom(): boolean {
    return this.threads.hasRoom
  }

  /** Whether there is room for the rules and secrets of one more key. As `hasRoom`. */
  get hasRoomForRules(): boolean {
    return this.threads.hasRoomForRules
  }

  /** Makes room, and resolves when every thread sees it. */
  grow(): Promise<void> {
    this.#expectOpen()
    return this.#durable(this.threads.grow())
  }

  /** A row of the meter for the windows of an account. */
  windowsRow(): Promise<number> {
    this.#expectOpen()
    return this.#durable(this.threads.row())
  }

  #report(deeds: readonly Deed[]): void {
    for (const deed of deeds) for (const listener of this.#deeds) listener(deed)
  }

  #expectOpen(): void {
    if (!this.open) throw new AccountError('UNAVAILABLE', 'The ledger takes no more entries.')
    if (this.#waiting >= COMMANDS_WAITING_MAX)
      throw new AccountError('UNAVAILABLE', 'Too many commands are waiting.')
  }

  async #durable<T>(work: Promise<T>): Promise<T> {
    this.#waiting++
    try {
      return await work
    } catch (error) {
      if (error instanceof StaleError) throw error
      throw new AccountError('UNAVAILABLE', `The ledger could not be written: ${String(error)}`, {
        cause: error,
      })
    } finally {
      this.#waiting--
    }
  }
}

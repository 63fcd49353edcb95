/** Context of all commands: a store to commit to, records to read, and listeners to notify. */

import { ACCOUNTS_MAX_DEFAULT, KEYS_MAX_DEFAULT } from '../../../platform/limits.ts'
import type { Book } from '../../ledger/book/book.ts'
import type { AccountRecord, KeyRecord } from '../../ledger/book/record.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import type { Ledger, LedgerSettings } from '../../ledger/ledger.ts'
import { AccountError } from '../account-error.ts'
import { type AccountStore, StaleError } from '../account-store.ts'
import { presentActor } from '../actor.ts'
import { type Change, changesOf, Listeners, replacedBy } from '../audited-changes.ts'
import { type Flusher, flusherOf } from '../charging/flusher.ts'
import type { LiveState } from '../live/live-state.ts'
import { Registry } from '../registry.ts'

/** Maximum number of commands on accounts that may wait. Further ones are refused. */
const COMMANDS_WAITING_MAX = 100_000

/** Kind of charged request. Its number in the ledger is its place in the list that is handed in. */
export interface UsageClass {
  readonly name: string
  readonly alias?: string
}

export interface AccountsOptions extends LedgerSettings {
  /** Kinds of charged requests, by number. */
  usageClasses: readonly UsageClass[]
  /** Milliseconds between flushes. Default FLUSH_MS_DEFAULT. */
  flushMs?: number
  /** Called once after a failed write or sync. `healthy` is already false. The caller exits. */
  onFatal?: (error: Error) => void
}

export class CommandContext {
  /** Ledger of this process. In a fleet, the journal of the node. */
  readonly ledger: Ledger
  readonly store: AccountStore
  readonly live: LiveState
  readonly registry: Registry
  readonly audited = new Listeners<Change>()
  readonly flusher: Flusher
  readonly accountsMax: number
  readonly keysMax: number
  readonly usageClasses: readonly UsageClass[]
  readonly #onFatal: ((error: Error) => void) | undefined
  #isOpen = true
  #waiting = 0

  constructor(ledger: Ledger, store: AccountStore, live: LiveState, options: AccountsOptions) {
    this.ledger = ledger
    this.store = store
    this.live = live
    this.registry = new Registry(store.book, live)
    const { accountsMax = ACCOUNTS_MAX_DEFAULT, keysMax = KEYS_MAX_DEFAULT, usageClasses, onFatal } = options
    this.flusher = flusherOf({ ledger, store, live }, options.flushMs, options.clock)
    this.accountsMax = accountsMax
    this.keysMax = keysMax
    this.usageClasses = usageClasses
    this.#onFatal = onFatal
    ledger.follow({ fail: error => this.fail(error), setStalled: isStalled => live.setStalled(isStalled) })
  }

  stop(): void {
    this.live.stop()
    this.#isOpen = false
  }

  fail(error: unknown): void {
    this.stop()
    this.flusher.stop()
    this.#onFatal?.(error instanceof Error ? error : new Error(String(error)))
  }

  get book(): Book {
    return this.store.book
  }

  nowMs(): number {
    return this.store.timeline.nowMs()
  }

  /** @param debited id or address of the account whose balance the command lowers. The command reports an unknown one */
  run<T>(command: (context: CommandContext) => Promise<T>, debited = ''): Promise<T> {
    return this.store.run(() => command(this), this.registry.account(debited))
  }

  account(idOrEmail: string): AccountRecord {
    const account = this.registry.account(idOrEmail)
    if (account !== undefined) return account
    throw new AccountError('ACCOUNT_NOT_FOUND', `There is no account ${JSON.stringify(idOrEmail)}.`)
  }

  key(id: string): KeyRecord {
    const key = this.registry.key(id)
    if (key !== undefined) return key
    throw new AccountError('KEY_NOT_FOUND', `There is no key ${JSON.stringify(id)}.`)
  }

  /**
   * Commits events. Resolves when they are durable and listeners are notified. A command that finds its work done by an earlier one
   * commits no events: it waits until the earlier ones are durable.
   */
  commit(...events: LedgerEvent[]): Promise<void> {
    this.expectOpen()
    if (events.length === 0) return this.#durable(this.store.untilDurable())
    const actor = presentActor()
    const replaced = events.map(event => replacedBy(this.book, event))
    return this.#durable(this.store.record(...events)).then(() => {
      const changes = changesOf(this.book, events, actor, replaced)
      for (const change of changes) this.audited.notify(change)
      this.store.listeners.notify([...new Set(changes.map(({ account }) => account))])
    })
  }

  /** Brings all charges of an account into the book, which has the others a flush interval late. */
  bookUsage({ keys }: AccountRecord): void {
    this.flusher.flushKeys(keys)
  }

  /** True if the meter has a row for another account or key. Another command may take it during any await. */
  get hasRoom(): boolean {
    return this.book.slots.length < this.ledger.meter.slots
  }

  /** Adds rows for accounts and keys. @throws UNAVAILABLE if the disk is full */
  grow(): Promise<void> {
    this.expectOpen()
    return this.#durable(this.ledger.meter.reserve(this.book.slots.length + 1))
  }

  /** @throws UNAVAILABLE if no command is accepted now */
  expectOpen(): void {
    if (!this.#isOpen) throw new AccountError('UNAVAILABLE', 'The ledger takes no more entries.')
    if (this.#waiting >= COMMANDS_WAITING_MAX)
      throw new AccountError('UNAVAILABLE', 'Too many commands are waiting.')
  }

  async #durable<T>(work: Promise<T>): Promise<T> {
    this.#waiting++
    try {
      return await work
    } catch (error) {
      if (error instanceof StaleError) throw error
      const message = `The ledger could not be written: ${String(error)}`
      throw new AccountError('UNAVAILABLE', message, { cause: error })
    } finally {
      this.#waiting--
    }
  }
}

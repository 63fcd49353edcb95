/** Context of all commands: a store to commit to, records to read, and listeners to notify. */

import { ACCOUNTS_MAX_DEFAULT, COMMANDS_WAITING_MAX, KEYS_MAX_DEFAULT } from '../../../platform/limits.ts'
import type { Book } from '../../ledger/book/book.ts'
import type { AccountRecord, KeyRecord } from '../../ledger/book/record.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import type { MeterFile } from '../../ledger/meter/meter-file.ts'
import { AccountError } from '../account-error.ts'
import { type AccountStore, StaleError } from '../account-store.ts'
import { presentActor } from '../actor.ts'
import type { Flusher } from '../charging/flusher.ts'
import { type Deed, deedsOf, Listeners, replacedBy } from '../deeds.ts'
import type { LiveState } from '../live/live-state.ts'
import type { Registry } from '../registry.ts'

/** Kind of charged request. Its number in the ledger is its place in the list that is handed in. */
export interface UsageClass {
  readonly name: string
  readonly alias?: string
}

interface CommandParts {
  store: AccountStore
  listeners: Listeners<string[]>
  flusher: Flusher
  live: LiveState
  meter: MeterFile
  usageClasses: readonly UsageClass[]
  accountsMax?: number
  keysMax?: number
  onFatal?: (error: Error) => void
}

export class CommandContext {
  readonly store: AccountStore
  readonly registry: Registry
  readonly listeners: Listeners<string[]>
  readonly deeds = new Listeners<Deed>()
  readonly flusher: Flusher
  readonly accountsMax: number
  readonly keysMax: number
  readonly usageClasses: readonly UsageClass[]
  readonly #parts: CommandParts
  #isOpen = true
  #waiting = 0

  constructor(parts: CommandParts) {
    this.#parts = parts
    this.store = parts.store
    this.registry = parts.store.registry
    this.listeners = parts.listeners
    this.flusher = parts.flusher
    this.accountsMax = parts.accountsMax ?? ACCOUNTS_MAX_DEFAULT
    this.keysMax = parts.keysMax ?? KEYS_MAX_DEFAULT
    this.usageClasses = parts.usageClasses
  }

  stop(): void {
    this.#parts.live.stop()
    this.#isOpen = false
  }

  fail(error: Error): void {
    this.stop()
    this.flusher.stop()
    this.#parts.onFatal?.(error)
  }

  get book(): Book {
    return this.store.book
  }

  nowMs(): number {
    return this.store.timeline.nowMs()
  }

  run<T>(command: (context: CommandContext) => Promise<T>, debitedAccount?: string): Promise<T> {
    return this.store.run(() => command(this), debitedAccount)
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
    this.#expectOpen()
    if (events.length === 0) return this.#durable(this.store.untilDurable())
    const actor = presentActor()
    const replaced = events.map(event => replacedBy(this.book, event))
    return this.#durable(this.store.record(...events)).then(() => {
      const deeds = deedsOf(this.book, events, actor, replaced)
      for (const deed of deeds) this.deeds.notify(deed)
      this.listeners.notify([...new Set(deeds.map(({ account }) => account))])
    })
  }

  /** True if the meter has a row for another account or key. Another command may take it during any await. */
  get hasRoom(): boolean {
    return this.book.slots.length < this.#parts.meter.slots
  }

  /** Adds rows for accounts and keys. @throws UNAVAILABLE if the disk is full */
  grow(): Promise<void> {
    this.#expectOpen()
    return this.#durable(this.#parts.meter.reserve(this.book.slots.length + 1))
  }

  #expectOpen(): void {
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
      throw new AccountError('UNAVAILABLE', `The ledger could not be written: ${String(error)}`, {
        cause: error,
      })
    } finally {
      this.#waiting--
    }
  }
}

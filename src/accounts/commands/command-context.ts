/** What all commands share: the ledger to write to, the live records to change, and the listeners to notify. */
import type { LedgerEvent } from '../../ledger/event.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { COMMANDS_WAITING_MAX } from '../../limits.ts'
import type { LiveAccount, LiveKey } from '../charging/live.ts'
import { AccountError } from '../errors.ts'
import { Listeners } from '../listeners.ts'
import { Registry } from '../registry.ts'

export class CommandContext {
  readonly ledger: Ledger
  readonly registry: Registry
  readonly listeners = new Listeners()
  /** False after the first failed write, and after closing. */
  open = true
  #waiting = 0

  constructor(ledger: Ledger) {
    this.ledger = ledger
    this.registry = new Registry(ledger)
  }

  /** An account by id or email. @throws ACCOUNT_NOT_FOUND */
  account(idOrEmail: string): LiveAccount {
    const account = this.registry.account(idOrEmail)
    if (account !== undefined) return account
    throw new AccountError('ACCOUNT_NOT_FOUND', `There is no account ${JSON.stringify(idOrEmail)}.`)
  }

  /** @throws KEY_NOT_FOUND */
  key(id: string): LiveKey {
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
    return this.#durable(this.ledger.record(...events))
  }

  /** Resolves when everything so far is durable: also a command that finds nothing to do may only then say so. */
  settled(): Promise<void> {
    this.#expectOpen()
    return this.#durable(this.ledger.settled())
  }

  /** Whether the meter has room for one more slot. Another command may take it during any await. */
  hasSlot(): boolean {
    return this.ledger.book.slots.length < this.ledger.meter.slots
  }

  /** Lets the meter grow. */
  growMeter(): Promise<void> {
    this.#expectOpen()
    return this.#durable(this.ledger.meter.reserve(this.ledger.book.slots.length + 1))
  }

  #expectOpen(): void {
    if (!this.open) throw new AccountError('UNAVAILABLE', 'The ledger takes no more entries.')
    if (this.#waiting >= COMMANDS_WAITING_MAX)
      throw new AccountError('UNAVAILABLE', 'Too many commands are waiting.')
  }

  async #durable(work: Promise<void>): Promise<void> {
    this.#waiting++
    try {
      await work
    } catch (error) {
      throw new AccountError('UNAVAILABLE', `The ledger could not be written: ${String(error)}`, {
        cause: error,
      })
    } finally {
      this.#waiting--
    }
  }
}

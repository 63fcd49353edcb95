/** Commands of a node: each decides on the node's copy of the book, and commits only if no other node was faster. */
import { type AccountStore, StaleError } from '../accounts/account-store.ts'
import { AccountError } from '../accounts/errors.ts'
import type { Book } from '../ledger/book/book.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import { FLEET_COMMAND_ATTEMPTS } from './limits.ts'
import { FencedError, LockedError, UnavailableError } from './store.ts'
import { Turns } from './turns.ts'

/** What commands need of the node. */
export interface CommandNode {
  readonly book: Book
  readonly timeline: { nowMs(): number }
  /** Commits on top of what this node has applied, and applies it. @throws StaleError, UnavailableError */
  commit(events: readonly LedgerEvent[]): Promise<void>
  /** Applies what other nodes have committed. @throws UnavailableError */
  catchUp(): Promise<void>
  /** Has all nodes return what they hold of an account, so that a command may take it. */
  recall(idOrEmail: string): Promise<void>
}

export class FleetCommands implements AccountStore {
  readonly book: Book
  readonly timeline: { nowMs(): number }
  readonly #node: CommandNode
  /** Commands of one node wait for each other: two that decide on the same book could not both commit. */
  readonly #turns = new Turns()

  constructor(node: CommandNode) {
    this.book = node.book
    this.timeline = node.timeline
    this.#node = node
  }

  record(...events: LedgerEvent[]): Promise<void> {
    return this.#node.commit(events)
  }

  /** The book has nothing that the database has not. */
  async settled(): Promise<void> {}

  run<T>(command: () => Promise<T>, takesFrom?: string): Promise<T> {
    return this.#turns.run(() => this.#run(command, takesFrom))
  }

  async #run<T>(command: () => Promise<T>, takesFrom: string | undefined): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (takesFrom !== undefined) await this.#node.recall(takesFrom)
        return await command()
      } catch (error) {
        if (error instanceof UnavailableError) throw unavailable(error)
        // The next exchange finds the same, and begins another epoch or ends the node.
        if (error instanceof FencedError)
          throw new AccountError('UNAVAILABLE', `This node has to join its fleet again: ${error.message}`, {
            cause: error,
          })
        if (!(error instanceof StaleError)) throw error
        if (attempt === FLEET_COMMAND_ATTEMPTS)
          throw new AccountError('UNAVAILABLE', 'Other nodes were faster each time: try again.')
        await this.#node.catchUp().catch(cause => {
          throw unavailable(cause)
        })
      }
    }
  }
}

/** What a command says of a database that does not answer. */
export function unavailable(cause: unknown): AccountError {
  const message =
    cause instanceof LockedError
      ? cause.message
      : `The database of the fleet does not answer: ${String(cause)}`
  return new AccountError('UNAVAILABLE', message, { cause })
}

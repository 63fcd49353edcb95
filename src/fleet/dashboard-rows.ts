/** Rows of the dashboard in the database: the node that has the dashboard next finds them there. */
import { FencedError } from './database-errors.ts'
import { answered } from './fleet-node.ts'
import type { PostgresStore } from './postgres-store.ts'
import type { DashboardRow, DashboardRowChange, NodeIdentity } from './store.ts'

export class DashboardRows {
  readonly #store: PostgresStore
  readonly #identity: NodeIdentity
  readonly #onMoved: (error: Error) => void

  /** @param onMoved called when another node has the dashboard: what this one does for it must end */
  constructor(store: PostgresStore, identity: NodeIdentity, onMoved: (error: Error) => void) {
    this.#store = store
    this.#identity = identity
    this.#onMoved = onMoved
  }

  read(name: string): Promise<DashboardRow[]> {
    return answered(this.#store.readRows(name))
  }

  /** Sets rows, and deletes those whose value is null. @throws AccountError UNAVAILABLE; FencedError */
  async write(name: string, changes: readonly DashboardRowChange[]): Promise<void> {
    try {
      await answered(this.#store.writeRows(this.#identity, name, changes))
    } catch (error) {
      if (error instanceof FencedError) this.#onMoved(error)
      throw error
    }
  }

  /** Takes over the rows of a file. False: the database has newer ones. As `write`. */
  async carry(name: string, rows: readonly DashboardRow[]): Promise<boolean> {
    if ((await this.read(name)).length > 0) return false
    await this.write(name, rows)
    return true
  }
}

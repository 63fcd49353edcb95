/** What the dashboard of a fleet keeps besides accounts, in the database: the node that has the dashboard next finds it there. */
import { unavailable } from './fleet-commands.ts'
import { DASHBOARD_ROWS_PER_CALL } from './limits.ts'
import type { Row, RowChange, RowStore } from './row-store.ts'
import { FencedError, type NodeIdentity, UnavailableError } from './store.ts'

export class DashboardRows {
  readonly #store: RowStore
  /** Of this node, whose epoch may be raised. */
  readonly #identity: NodeIdentity

  readonly #onMoved: (error: Error) => void

  /** @param onMoved called when another node has the dashboard: what this one does for it must end */
  constructor(store: RowStore, identity: NodeIdentity, onMoved: (error: Error) => void) {
    this.#store = store
    this.#identity = identity
    this.#onMoved = onMoved
  }

  /** As `readDashboardRows`. */
  read(name: string): Promise<Row[]> {
    return readDashboardRows(this.#store, name)
  }

  /** Sets rows, and deletes those whose value is null. @throws AccountError UNAVAILABLE; FencedError, RefusedError */
  async write(name: string, changes: readonly RowChange[]): Promise<void> {
    for (let start = 0; start < changes.length; start += DASHBOARD_ROWS_PER_CALL) {
      const part = changes.slice(start, start + DASHBOARD_ROWS_PER_CALL)
      await this.#watched(this.#store.writeRows(this.#identity, name, part))
    }
  }

  /** Takes over the rows of a file, in one transaction. False: those of another one were taken over before. As `write`. */
  carry(name: string, rows: readonly Row[]): Promise<boolean> {
    return this.#watched(this.#store.carryRows(this.#identity, name, rows))
  }

  async #watched<T>(call: Promise<T>): Promise<T> {
    try {
      return await answered(call)
    } catch (error) {
      if (error instanceof FencedError) this.#onMoved(error)
      throw error
    }
  }
}

/** All rows of a name. @throws AccountError UNAVAILABLE */
export async function readDashboardRows(store: RowStore, name: string): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const after = rows.at(-1)?.[0] ?? null
    const page = await answered(store.readRows(name, after, DASHBOARD_ROWS_PER_CALL))
    rows.push(...page)
    if (page.length < DASHBOARD_ROWS_PER_CALL) return rows
  }
}

async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw error instanceof UnavailableError ? unavailable(error) : error
  }
}

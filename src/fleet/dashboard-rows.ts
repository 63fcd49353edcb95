/** What the dashboard of a fleet keeps besides accounts, in the database: the node that has the dashboard next finds it there. */
import { unavailable } from './fleet-commands.ts'
import { DASHBOARD_ROWS_PER_CALL } from './limits.ts'
import type { Row, RowChange, RowStore } from './row-store.ts'
import { type NodeIdentity, UnavailableError } from './store.ts'

export class DashboardRows {
  readonly #store: RowStore
  /** Of this node, whose epoch may be raised. */
  readonly #identity: NodeIdentity

  constructor(store: RowStore, identity: NodeIdentity) {
    this.#store = store
    this.#identity = identity
  }

  /** As `readDashboardRows`. */
  read(name: string): Promise<Row[]> {
    return readDashboardRows(this.#store, name)
  }

  /** Sets rows, and deletes those whose value is null. @throws AccountError UNAVAILABLE; RefusedError without the dashboard */
  async write(name: string, changes: readonly RowChange[]): Promise<void> {
    for (let start = 0; start < changes.length; start += DASHBOARD_ROWS_PER_CALL) {
      const part = changes.slice(start, start + DASHBOARD_ROWS_PER_CALL)
      await answered(this.#store.writeRows(this.#identity, name, part))
    }
  }

  /** Takes over the rows of a file, in one transaction. False: those of another one were taken over before. As `write`. */
  carry(name: string, rows: readonly Row[]): Promise<boolean> {
    return answered(this.#store.carryRows(this.#identity, name, rows))
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

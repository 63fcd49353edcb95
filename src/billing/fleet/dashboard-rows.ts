/** Rows of the dashboard in the database, where the next node with the dashboard finds them. */
import { FencedError } from './database-errors.ts'
import { orUnavailable } from './fleet-node.ts'
import type { DashboardRow, DashboardRowChange, NodeIdentity } from './messages.ts'
import type { PostgresStore } from './postgres-store.ts'

export type DashboardRows = ReturnType<typeof dashboardRows>

/** @param onMoved called when another node has the dashboard. This node's dashboard must end */
export function dashboardRows(
  { database }: PostgresStore,
  { node, epoch }: NodeIdentity,
  onMoved: (error: Error) => void,
) {
  const read = async (name: string): Promise<DashboardRow[]> => {
    const select = 'select key, value from dashboard_row where name = $1'
    const rows = await orUnavailable(database.query<{ key: string; value: string }>(select, [name]))
    return rows.map(({ key, value }) => [key, value])
  }

  /** Sets rows, and deletes a row whose value is null. @throws AccountError UNAVAILABLE; FencedError */
  const write = async (name: string, changes: readonly DashboardRowChange[]): Promise<void> => {
    try {
      const values = [node, epoch, name, JSON.stringify(changes)]
      await orUnavailable(database.query('select write_dashboard_rows($1, $2, $3, $4)', values))
    } catch (error) {
      if (error instanceof FencedError) onMoved(error)
      throw error
    }
  }
  return { read, write }
}

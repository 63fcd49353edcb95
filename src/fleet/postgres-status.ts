/** What the database knows of the fleet, for operators. */

import type { Database } from './database.ts'
import { NODE_LIVE_MS, WRITE_OFFS_SHOWN_MAX } from './limits.ts'
import type { FleetStatus, NodeStatus, WriteOff } from './store.ts'

/** Costs a scan of all leases and accounts: for people, not for every request. */
export async function readStatus(database: Database): Promise<FleetStatus> {
  const { status } = await database.row('select read_status($1, $2) as status', [
    NODE_LIVE_MS,
    WRITE_OFFS_SHOWN_MAX,
  ])
  const { nodes, write_offs, ...rest } = status as Omit<
    FleetStatus,
    'nodes' | 'writeOffs' | 'inDoubtMicros'
  > & {
    nodes: NodeStatus[]
    write_offs: WriteOff[]
  }
  const inDoubtMicros = nodes.reduce((sum, node) => sum + (node.isSilent ? node.heldMicros : 0), 0)
  return { ...rest, nodes, inDoubtMicros, writeOffs: write_offs }
}

import type { Accounts } from '../billing/accounts/accounts.ts'
import type { FleetStatus } from '../billing/fleet/messages.ts'
import type { DashboardRows } from '../billing/fleet/open-fleet-accounts.ts'
import type { SharedAudit } from '../billing/fleet/shared-audit.ts'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric.ts'
import type { Config } from '../platform/settings/config.ts'
import type { DataPlane } from '../service/data-plane.ts'

/** The accounts, and the server threads that charge them. */
export type Planes = { readonly accounts: Accounts; readonly dataPlane: DataPlane }

export interface ControlPlaneParts extends Planes {
  readonly config: Config
  readonly moreMetrics?: () => readonly Metric[]
  /** INDEX_URL, and the problem if its index is not served; undefined without INDEX_URL. */
  readonly followed?: () => { url: string; problem: string | null }
  /** Status of this node's fleet; undefined without a fleet. */
  readonly fleetStatus?: () => Promise<FleetStatus>
  /** Sentence that names the node with the dashboard; undefined if this node has it. */
  readonly elsewhere?: string
  readonly sharedAudit?: SharedAudit
  readonly sharedRows?: DashboardRows
  readonly log: Log
}

/** What the server needs to be a node of a fleet. */
import type { Accounts } from '../accounts/accounts.ts'
import type { AccountsOptions } from '../accounts/open-accounts.ts'
import { type Metric, metric } from '../platform/metric.ts'
import type { DashboardRows } from './dashboard-rows.ts'
import type { SchemaRights } from './database-migrations.ts'
import { fleetAddress } from './fleet-address.ts'
import { type FleetState, openFleetAccounts } from './open-fleet-accounts.ts'
import { openPostgresStore } from './postgres-store.ts'
import type { SharedAudit } from './shared-audit.ts'
import type { FleetStatus, FleetStore, NodeFacts } from './store.ts'

/** The accounts of a node, and what it and the database say of the fleet. */
export interface JoinedFleet {
  accounts: Accounts
  metrics(): readonly Metric[]
  /** @throws UnavailableError */
  status(): Promise<FleetStatus>
  /** The audit log of all nodes. */
  audit: SharedAudit
  /** What the dashboard keeps in the database. */
  rows: DashboardRows
  /** The other node that has the dashboard of the fleet; null: this one has it. @throws UnavailableError */
  dashboardElsewhere(): Promise<{ node: string; address: string } | null>
  /** Says at once what the node runs, when `facts` have changed. */
  describe(): void
}

/**
 * Connects to the database at `url` and opens the accounts of its fleet.
 * @throws UnavailableError when it does not answer; as `openFleetAccounts`
 */
export async function joinFleet(
  url: string,
  facts: NodeFacts,
  options: AccountsOptions,
  rights: SchemaRights,
): Promise<JoinedFleet> {
  const store = await openFleetStore(url, rights)
  try {
    const { state, ...joined } = await openFleetAccounts({ ...options, store, facts })
    return { ...joined, metrics: () => metricsOf(state()), status: () => store.status() }
  } catch (error) {
    await store.close()
    throw error
  }
}

/**
 * Connects to the database at `url`. Two fleets may share one: `?schema=` names the one that is meant, which PostgreSQL itself does
 * not know. @throws as `openPostgresStore`
 */
export function openFleetStore(url: string, rights: SchemaRights): Promise<FleetStore> {
  const { address, schema } = fleetAddress(url)
  return openPostgresStore(address, { schema, rights })
}

function metricsOf({
  epoch,
  behindMs,
  clockAheadMs,
  isAway,
  exchanges,
  silentMs,
  accountsHeld,
}: FleetState): Metric[] {
  return [
    metric('postrie_fleet_epoch', 'Starts of this node.', 'gauge', epoch),
    metric(
      'postrie_fleet_behind_seconds',
      'Since this node last knew that it had missed no change of another node; revocations hold within this time.',
      'gauge',
      behindMs / 1000,
    ),
    metric(
      'postrie_fleet_clock_ahead_seconds',
      "By how much the database's clock, which counts, is ahead of this node's.",
      'gauge',
      clockAheadMs / 1000,
    ),
    metric(
      'postrie_fleet_database_up',
      'Whether the database of the fleet has answered the last exchange.',
      'gauge',
      isAway ? 0 : 1,
    ),
    metric('postrie_fleet_exchanges_total', 'Exchanges with the database.', 'counter', exchanges),
    metric(
      'postrie_fleet_unanswered_seconds',
      'Since the database last answered an exchange.',
      'gauge',
      silentMs / 1000,
    ),
    metric('postrie_fleet_accounts_held', 'Accounts that this node has leased from.', 'gauge', accountsHeld),
  ]
}

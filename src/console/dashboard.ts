import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Accounts } from '../billing/accounts/accounts.ts'
import type { Limited } from '../billing/accounts/charging/shown-limits.ts'
import type { MembershipView } from '../billing/accounts/teams.ts'
import type { AccountView, KeyView } from '../billing/accounts/views.ts'
import type { DashboardRows } from '../billing/fleet/dashboard-rows.ts'
import type { FleetStatus } from '../billing/fleet/messages.ts'
import type { SharedAudit } from '../billing/fleet/shared-audit.ts'
import type { Role } from '../billing/ledger/event.ts'
import type { TrustedProxies } from '../platform/forwarded.ts'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric.ts'
import type { Config } from '../platform/settings/config.ts'
import type { DataPlane } from '../service/data-plane.ts'
import type { Alerts } from './alerts/alerts.ts'
import type { AuditLog } from './audit/audit-log.ts'
import type { Seal } from './session/seal.ts'
import type { RefusedForm, Session, Sessions } from './session/sessions.ts'
import type { Tokens } from './sign-in/tokens.ts'

export interface ControlPlaneParts {
  readonly config: Config
  readonly accounts: Accounts
  readonly dataPlane: DataPlane
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

export interface Dashboard extends ControlPlaneParts {
  readonly origin: string
  readonly proxies: TrustedProxies
  readonly seal: Seal
  readonly sessions: Sessions
  readonly audit: AuditLog
  readonly alerts: Alerts
  /** Null with an identity provider, or if other machines can connect. */
  readonly tokens: Tokens | null
}

/** Variables of a request. `c.var` copies all of them, so code of every page uses `c.get`. */
export interface PageEnv {
  Bindings: HttpBindings
  Variables: {
    // Set on every page that needs a sign-in.
    session: Session
    person: AccountView
    /** Account that the person acts for. Without a role, it is their own account, and its pages are closed. */
    account: AccountView
    role: Role | null
    memberships: readonly MembershipView[]
    csrf: string
    keys: () => KeyView[]
    queries: () => Limited
    isOperator: boolean
    /** True for an operator who looks at the account as its owner does, and may change nothing. */
    isViewing: boolean
    /** Email address or URL of the operator; `''` if none is set. */
    support: string
    /** Sentence about automatic recharges that were turned off; `''` if there is no problem. */
    rechargeConcern?: string
    isRecharged?: boolean
    refused?: RefusedForm
  }
}

export type PageContext = Context<PageEnv>
export type PageApp = Hono<PageEnv>

import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Accounts } from '../accounts/accounts.ts'
import type { AccountView, KeyView, MembershipView, Role } from '../accounts/views.ts'
import type { DataPlane } from '../data-plane.ts'
import type { FleetStatus } from '../fleet/store.ts'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric.ts'
import type { Config } from '../settings/config.ts'
import type { AuditLog, SharedLog } from './audit/audit-log.ts'
import type { Seal } from './session/seal.ts'
import type { RefusedForm, Session, Sessions } from './session/sessions.ts'
import type { SharedRows } from './store/keyed-store.ts'

export interface ControlPlaneParts {
  readonly config: Config
  readonly accounts: Accounts
  readonly dataPlane: DataPlane
  readonly moreMetrics?: () => readonly Metric[]
  /** The address of INDEX_URL, and why it is not served; undefined: there is no INDEX_URL. */
  readonly followed?: () => { url: string; problem: string | null }
  /** Status of this node's fleet; undefined: it belongs to none. */
  readonly fleetStatus?: () => Promise<FleetStatus>
  /** Sentence that says which other node of the fleet has the dashboard; absent: this one, or there is no fleet. */
  readonly elsewhere?: string
  readonly sharedAudit?: SharedLog
  readonly sharedRows?: SharedRows
  /** Builds the index file again and resolves with the exit code of the builder. */
  readonly rebuild?: () => Promise<number>
  readonly log: Log
}

export interface Dashboard extends ControlPlaneParts {
  readonly origin: string
  readonly seal: Seal
  readonly sessions: Sessions
  readonly audit: AuditLog
  /** Opens the development sign-in and is printed at the start; null where there is no such sign-in. */
  readonly developmentToken: string | null
}

/** `c.var` copies all variables each time, so what runs on every page reads them one by one with `c.get`. */
export interface PageEnv {
  Bindings: HttpBindings
  Variables: {
    // These are set on every page that needs a sign-in.
    session: Session
    person: AccountView
    /** Account that they act for. Without a role it is their own, and opens none of its pages. */
    account: AccountView
    role: Role | null
    memberships: readonly MembershipView[]
    csrf: string
    keys: () => KeyView[]
    isOperator: boolean
    /** Email address or URL of the operator; `''`: none is set. */
    support: string
    /** Sentence about automatic recharges that were turned off; `''`: nothing is wrong. */
    rechargeConcern?: string
    refused?: RefusedForm
  }
}

export type PageContext = Context<PageEnv>
export type PageApp = Hono<PageEnv>

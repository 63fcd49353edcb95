/** What every page of the dashboard works on. */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView, KeyView, MembershipView, Role } from '../../accounts/views.ts'
import type { DataPlane } from '../../data-plane.ts'
import type { FleetStatus } from '../../fleet/store.ts'
import type { Log } from '../../platform/log.ts'
import type { Metric } from '../../platform/metric.ts'
import type { Config } from '../../settings/config.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { SharedRows } from './keyed-store.ts'
import type { Seal } from './seal.ts'
import type { Session, Sessions } from './sessions.ts'

export interface Dashboard {
  /** Scheme, host and port, as browsers see them. */
  readonly origin: string
  readonly config: Config
  readonly accounts: Accounts
  readonly dataPlane: DataPlane
  readonly seal: Seal
  readonly sessions: Sessions
  /** What opens the development sign-in, printed at the start; null where there is no such sign-in. */
  readonly developmentToken: string | null
  /** Facts for `/metrics` of other parts of the process. */
  readonly moreMetrics?: () => readonly Metric[]
  /** Of the fleet that this node belongs to; undefined: it belongs to none. */
  readonly fleetStatus?: () => Promise<FleetStatus>
  /** Where the fleet keeps what would be in files of DATA_DIR; undefined: there is no fleet. */
  readonly sharedRows?: SharedRows
  /** Who changed what. */
  readonly audit: AuditLog
  /** Builds the index file again with the default sources, and resolves with the exit code; null where there is no builder. */
  readonly rebuild: (() => Promise<number>) | null
  readonly log: Log
}

/** A form that was not accepted. Its page shows again what was typed, with the reason at the field. */
export interface Refused {
  /** The address that the form was sent to. */
  readonly action: string
  readonly field: string
  readonly problem: string
  readonly values: URLSearchParams
}

/** `c.var` copies all variables each time, so what runs on every page reads them one by one with `c.get`. */
export interface PageEnv {
  Bindings: HttpBindings
  Variables: {
    /** All of these are set on every page that needs a sign-in. */
    session: Session
    /** Whoever is signed in: the account that their sign-ins lead to. */
    person: AccountView
    /** The account that they act for. Theirs when `role` is null, which then opens none of its pages. */
    account: AccountView
    role: Role | null
    /** All accounts that they may act for. */
    memberships: readonly MembershipView[]
    /** The secret of this session's forms on this account. */
    csrf: string
    /** Its keys, in the order of their creation. */
    keys: () => KeyView[]
    /** Whether whoever is signed in may open `/operator`. */
    isOperator: boolean
    /** Why automatic recharges do not work any more; `''`: nothing is wrong. */
    rechargeConcern?: string
    /** The form that this request sent and that was not accepted. */
    refused?: Refused
  }
}

export type PageContext = Context<PageEnv>
export type PageApp = Hono<PageEnv>

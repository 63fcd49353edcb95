import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { getContext } from 'hono/context-storage'
import type { ShownLimits } from '../../billing/accounts/charging/shown-limits.ts'
import type { MembershipView } from '../../billing/accounts/teams.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import type { Role } from '../../billing/ledger/event.ts'
import type { TrustedProxies } from '../../platform/forwarded.ts'
import type { Alerts } from '../alerts/alerts.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import type { Leak, Refusal } from '../reports/activity.ts'
import type { RefusedForm, Session, Sessions } from './sessions.ts'
import type { Signer } from './signer.ts'
import type { Tokens } from './tokens.ts'

export interface Dashboard extends ControlPlaneParts {
  readonly origin: string
  readonly proxies: TrustedProxies
  readonly signer: Signer
  readonly sessions: Sessions
  readonly audit: AuditLog
  readonly alerts: Alerts
  /** Null with an identity provider, or if other machines can connect. */
  readonly tokens: Tokens | null
}

/** Variables of a request. Code that runs on every page uses `c.get`, because `c.var` copies all of them. */
export interface PageEnv {
  Bindings: HttpBindings
  Variables: {
    // Set on every page that needs a sign-in.
    session: Session
    person: AccountView
    /** Account that the person acts for. Without a role it is their own, and its pages are closed. */
    account: AccountView
    role: Role | null
    memberships: readonly MembershipView[]
    csrf: string
    keys: () => KeyView[]
    queries: () => ShownLimits
    refusals: () => Refusal[]
    leaks: () => Leak[]
    isOperator: boolean
    /** True for an operator who looks at the account as its owner does, and may change nothing. */
    isViewing: boolean
    /** Email address or URL of the operator; `''` if none is set. */
    support: string
    /** Sentence about automatic recharges that were turned off; `''` for none, undefined without Stripe. */
    rechargeConcern: string | undefined
    /** True for a payer who returns before the payment is confirmed. */
    isPaying: boolean | undefined
    refused?: RefusedForm
  }
}

export type PageContext = Context<PageEnv>
export type PageApp = Hono<PageEnv>

export const pageContext = (): PageContext => getContext<PageEnv>()

/** What every page of the dashboard works on. */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView } from '../../accounts/views.ts'
import type { DataPlane } from '../../data-plane.ts'
import type { Log } from '../../platform/log.ts'
import type { Config } from '../../settings/config.ts'
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
  readonly log: Log
}

export interface PageEnv {
  Bindings: HttpBindings
  Variables: {
    /** Both are set on every page that needs a sign-in. */
    session: Session
    account: AccountView
  }
}

export type PageContext = Context<PageEnv>
export type PageApp = Hono<PageEnv>

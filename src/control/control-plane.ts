/** Starts the control plane on CONTROL_PORT: the dashboard, metrics, probes. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Accounts } from '../accounts/accounts.ts'
import type { DataPlane } from '../data-plane.ts'
import type { FleetStatus } from '../fleet/store.ts'
import { DASHBOARD_KEY_NAME } from '../ledger/disk/files.ts'
import { closeAll } from '../platform/close-all.ts'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric.ts'
import type { Config } from '../settings/config.ts'
import { Alerts } from './alerts/alerts.ts'
import { AuditLog, type SharedLog } from './audit/audit-log.ts'
import { settingsInForce } from './console/settings-in-force.ts'
import { controlApp } from './control-app.tsx'
import { startElsewhere } from './elsewhere.ts'
import { watchLowBalances } from './payments/low-balance.ts'
import type { PageApp } from './shell/dashboard.ts'
import type { SharedRows } from './shell/keyed-store.ts'
import { type Listening, listen } from './shell/listen.ts'
import { dashboardOrigin } from './shell/origin.ts'
import { Revocations } from './shell/revocations.ts'
import { readSealKey, Seal } from './shell/seal.ts'
import { Sessions } from './shell/sessions.ts'

export interface ControlPlaneParts {
  config: Config
  accounts: Accounts
  dataPlane: DataPlane
  /** Facts for `/metrics` of other parts of the process. */
  moreMetrics?: () => readonly Metric[]
  /** Of the fleet that this node belongs to; undefined: it belongs to none. */
  fleetStatus?: () => Promise<FleetStatus>
  /** Which other node of the fleet has the dashboard, as a sentence; absent: this one, or there is no fleet. */
  elsewhere?: string
  /** The audit log of all nodes of the fleet. */
  sharedAudit?: SharedLog
  /** Where the fleet keeps what would be in files of DATA_DIR. */
  sharedRows?: SharedRows
  /** Builds the index file again and resolves with the exit code of the builder. */
  rebuild?: () => Promise<number>
  log: Log
}

export interface ControlPlane extends Listening {
  /** Where browsers reach the dashboard; with the token of the development sign-in, where there is one. */
  readonly entrance: string
  /** Every address with its method, for the test that asks who may open it. */
  readonly routes: readonly { method: string; path: string }[]
}

/** @throws Error when the port is taken, or when a file of the dashboard in DATA_DIR is not private */
export async function startControlPlane(parts: ControlPlaneParts): Promise<ControlPlane> {
  const { config, accounts, dataPlane, rebuild = null, log } = parts
  if (parts.elsewhere !== undefined) return startElsewhere(parts, parts.elsewhere)
  const { host, controlPort, publicUrl, dataDir } = config
  const { sessionIdleMs, sessionMaxMs, lowBalanceWebhook, development, smtp, allowPrivateWebhooks } =
    config.dashboard
  const seal = new Seal(await readSealKey(join(dataDir, DASHBOARD_KEY_NAME)))
  const revocations = await Revocations.open(join(dataDir, 'ended-sessions.jsonl'))
  const sessions = new Sessions(seal, revocations, { idleMs: sessionIdleMs, maxMs: sessionMaxMs })
  const developmentToken = development ? randomBytes(32).toString('base64url') : null
  /** How to close what has been opened so far, at a stop or when a start fails half-way: the last one first. */
  const closers: (() => void | Promise<void>)[] = []
  const close = () => closeAll(...closers.splice(0).reverse())
  try {
    const audit = await AuditLog.open(dataDir, log)
    closers.push(() => audit.close())
    if (parts.sharedAudit !== undefined) closers.push(audit.share(parts.sharedAudit, true))
    closers.push(audit.follow(accounts))
    audit.record({ what: 'start', details: Object.fromEntries(settingsInForce(config)) })
    dataPlane.onIndex?.(({ file: { buildId, codeCount } }) =>
      audit.record({ what: 'index', details: { buildId, codeCount } }),
    )
    // The dashboard must know its own address, which, with port 0, exists only once it listens.
    let app: PageApp | undefined
    let alerts: Alerts | undefined
    const work: (() => Promise<void>)[] = []
    const starting = () => new Response('starting\n', { status: 503 })
    const listening = await listen(
      { fetch: (request, env) => app?.fetch(request, env) ?? starting() },
      { host, port: controlPort },
    )
    closers.push(async () => {
      // No request arrives while the rest is closed.
      await listening.close()
      for (const end of work) await end()
      await alerts?.close()
    })
    const origin = dashboardOrigin(publicUrl, host, listening.port)
    const { sharedRows } = parts
    const allowPrivate = allowPrivateWebhooks
    alerts = await Alerts.open({ accounts, log, dataDir, sharedRows, origin, smtp, allowPrivate })
    const dashboard = { ...parts, rebuild, audit, origin, seal, sessions, developmentToken }
    app = await controlApp(dashboard, alerts, work)
    if (lowBalanceWebhook !== null) closers.push(watchLowBalances(accounts, lowBalanceWebhook, log))
    return {
      port: listening.port,
      entrance: developmentToken === null ? origin : `${origin}/?token=${developmentToken}`,
      routes: app.routes,
      close,
    }
  } catch (error) {
    await close().catch(() => {
      // What failed first says why.
    })
    throw error
  }
}

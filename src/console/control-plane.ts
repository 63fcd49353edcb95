/** Starts the control plane on CONTROL_PORT: the dashboard, metrics and probes. */

import { join } from 'node:path'
import { Hono } from 'hono'
import { DEMO_EMAIL } from '../billing/demo-account.ts'
import { DASHBOARD_KEY_NAME } from '../billing/ledger/presence.ts'
import { TrustedProxies } from '../platform/forwarded.ts'
import { closeAll } from '../platform/promises.ts'
import { openAlerts } from './alerts/alerts.ts'
import { openAuditLog } from './audit/audit-log.ts'
import { createControlApp } from './control-app.ts'
import type { ControlPlaneParts, Planes } from './control-plane-parts.ts'
import { type Listening, listen } from './listen.ts'
import type { Service } from './operator/command.ts'
import { OperatorError } from './operator/operator-error.ts'
import { probes } from './reports/probes.ts'
import { dashboardOrigin } from './session/origin.ts'
import type { PageApp, PageEnv } from './session/page-context.ts'
import { openSessions } from './session/sessions.ts'
import { createSigner, readSigningKey } from './session/signer.ts'
import { createTokens, type Tokens } from './session/tokens.ts'

interface ControlPlane extends Listening {
  /** Address of the dashboard, with a token if tokens sign in. */
  readonly entrance: string
  readonly service: Service
  /** Every route with its method, for tests of access. */
  readonly routes: readonly { method: string; path: string }[]
}

/** @throws Error if the port is taken, or if a file of the dashboard in DATA_DIR is not private */
export async function startControlPlane(parts: ControlPlaneParts): Promise<ControlPlane> {
  const { config, accounts, dataPlane, sharedRows, log } = parts
  const { host, controlPort, publicUrl, dataDir } = config
  const { sessionIdleMs, sessionMaxMs, lowBalanceWebhook, hasTokens, smtp, allowPrivateWebhooks } =
    config.dashboard
  /** Functions that close opened parts, in the order of their opening. */
  const closers: (() => void | Promise<void>)[] = []
  let listening: Listening | undefined
  // First, so that no request arrives while the rest closes.
  const close = () => closeAll(() => listening?.close(), ...closers.splice(0).reverse())
  try {
    const audit = await openAuditLog(dataDir, log)
    closers.push(() => audit.untilWritten())
    if (parts.sharedAudit !== undefined)
      closers.push(audit.share(parts.sharedAudit, parts.elsewhere === undefined))
    closers.push(accounts.onAudited(audit.record))
    const settings = config.inForce.map(({ name, value }) => [name, value])
    audit.record({ what: 'start', details: Object.fromEntries(settings) })
    dataPlane.onIndex(({ file: { buildId, codeCount } }) =>
      audit.record({ what: 'index', details: { buildId, codeCount } }),
    )
    if (parts.elsewhere !== undefined) {
      const app = new Hono<PageEnv>()
      app.route('/', probes(parts))
      // At this status, a balancer tries the next node, and Stripe retries.
      app.all('*', c => c.text(`${parts.elsewhere}\n`, 503))
      listening = await listen(app, { host, port: controlPort })
      const entrance = dashboardOrigin(publicUrl, host, listening.port)
      const service = serviceOf(entrance, parts, null, parts.elsewhere)
      return { port: listening.port, entrance, service, routes: app.routes, close }
    }
    const signer = createSigner(await readSigningKey(join(dataDir, DASHBOARD_KEY_NAME)))
    const times = { idleMs: sessionIdleMs, maxMs: sessionMaxMs }
    const sessions = await openSessions({ dataDir, log }, signer, times)
    closers.push(() => sessions.close())
    const tokens = hasTokens ? createTokens() : null
    // The dashboard needs its own address. With port 0, the address exists only once it listens.
    let app: PageApp | undefined
    const starting = () => new Response('starting\n', { status: 503 })
    listening = await listen(
      { fetch: (request, env) => app?.fetch(request, env) ?? starting() },
      { host, port: controlPort },
    )
    const origin = dashboardOrigin(publicUrl, host, listening.port)
    const alerts = await openAlerts({
      ...{ accounts, log, dataDir, sharedRows, audit, origin, smtp },
      allowPrivate: allowPrivateWebhooks,
      operatorWebhook: lowBalanceWebhook,
    })
    closers.push(() => alerts.close())
    const proxies = new TrustedProxies(config.trustedProxies)
    const dashboard = { ...parts, audit, alerts, proxies, origin, signer, sessions, tokens }
    app = await createControlApp(dashboard, closers)
    const service = serviceOf(origin, dashboard, tokens)
    const entrance = tokens === null ? origin : service.createToken(DEMO_EMAIL).address
    return { port: listening.port, entrance, service, routes: app.routes, close }
  } catch (error) {
    // The first error matters.
    await close().catch(() => {})
    throw error
  }
}

/** @param why there are no tokens @returns the part of commands that needs a running service */
function serviceOf(
  origin: string,
  planes: Planes,
  tokens: Tokens | null,
  why = 'tokens sign in only without an identity provider, and while HOST and PUBLIC_URL are loopback',
): Service {
  return {
    ...planes,
    createToken(email) {
      if (tokens === null) throw new OperatorError('refused', why)
      const { token, endMs } = tokens.create(email)
      return { address: `${origin}/sign-in?token=${token}`, endMs }
    },
  }
}

/** Starts the control plane on CONTROL_PORT: the dashboard, metrics, probes. */
import type { Accounts } from '../accounts/accounts.ts'
import type { DataPlane } from '../data-plane.ts'
import type { Log } from '../platform/log.ts'
import type { Config } from '../settings/config.ts'
import { controlApp } from './control-app.tsx'
import { watchLowBalances } from './payments/low-balance.ts'
import type { PageApp } from './shell/dashboard.ts'
import { type Listening, listen } from './shell/listen.ts'
import { dashboardOrigin } from './shell/origin.ts'
import { Sessions } from './shell/sessions.ts'

export interface ControlPlaneParts {
  config: Config
  accounts: Accounts
  dataPlane: DataPlane
  log: Log
}

export async function startControlPlane(parts: ControlPlaneParts): Promise<Listening> {
  const { config, accounts, log } = parts
  const { host, controlPort, publicUrl } = config
  const { sessionIdleMs, sessionMaxMs, lowBalanceWebhook } = config.dashboard
  // The dashboard must know its own address, which, with port 0, exists only once it listens.
  let app: PageApp | undefined
  const starting = () => new Response('starting\n', { status: 503 })
  const listening = await listen(
    { fetch: (request, env) => app?.fetch(request, env) ?? starting() },
    { host, port: controlPort },
  )
  const origin = dashboardOrigin(publicUrl, host, listening.port)
  app = await controlApp({ ...parts, origin, sessions: new Sessions(sessionIdleMs, sessionMaxMs) })
  const stopWatching =
    lowBalanceWebhook === null ? () => {} : watchLowBalances(accounts, lowBalanceWebhook, log)
  return {
    port: listening.port,
    close() {
      stopWatching()
      return listening.close()
    },
  }
}

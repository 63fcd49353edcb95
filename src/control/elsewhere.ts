/** What the control plane of a fleet's node answers whose dashboard is at another node: metrics and probes, and where it is. */
import { Hono } from 'hono'
import { AuditLog, type SharedLog } from './audit/audit-log.ts'
import { probes } from './reports/probes.ts'
import type { Dashboard, PageEnv } from './shell/dashboard.ts'
import { type Listening, listen } from './shell/listen.ts'
import { dashboardOrigin } from './shell/origin.ts'

/** @param elsewhere where the dashboard is, as a sentence. @throws Error when the port is taken */
export async function startElsewhere(
  parts: Pick<Dashboard, 'config' | 'accounts' | 'dataPlane' | 'moreMetrics' | 'log'> & {
    sharedAudit?: SharedLog
  },
  elsewhere: string,
): Promise<Listening & { entrance: string; routes: Hono<PageEnv>['routes'] }> {
  const { config, accounts, log } = parts
  const { host, controlPort, publicUrl, dataDir } = config
  const audit = await AuditLog.open(dataDir, log)
  const unshare = parts.sharedAudit === undefined ? async () => {} : audit.share(parts.sharedAudit, false)
  const unfollow = audit.follow(accounts)
  const app = new Hono<PageEnv>()
  app.route('/', probes(parts))
  // A balancer goes on to the next node at this status, and Stripe comes again.
  app.all('*', c => c.text(`${elsewhere}\n`, 503))
  try {
    const listening = await listen(app, { host, port: controlPort })
    return {
      port: listening.port,
      entrance: dashboardOrigin(publicUrl, host, listening.port),
      routes: app.routes,
      async close() {
        await listening.close()
        unfollow()
        await unshare()
        await audit.close()
      },
    }
  } catch (error) {
    unfollow()
    await unshare()
    await audit.close()
    throw error
  }
}

/** Health and metrics, for machines. */
import { Hono } from 'hono'
import type { Dashboard, PageEnv } from '../shell/dashboard.ts'
import { ledgerMetrics } from './ledger-metrics.ts'
import { METRICS_CONTENT_TYPE, renderMetrics } from './metrics.ts'
import { watchProcess } from './process-metrics.ts'

/** Answered under any host name, since probes and scrapers use addresses. Nothing here is about a customer. */
export function probes({
  accounts,
  dataPlane,
  moreMetrics = () => [],
}: Pick<Dashboard, 'accounts' | 'dataPlane' | 'moreMetrics'>): Hono<PageEnv> {
  const app = new Hono<PageEnv>()
  const ofProcess = watchProcess()
  app.get('/healthz', c => {
    const { healthy } = accounts
    return c.json({ status: healthy ? 'ok' : 'ledger unavailable' }, healthy ? 200 : 503)
  })
  app.get('/metrics', async c => {
    const ours = renderMetrics([...ledgerMetrics(accounts), ...dataPlane.metrics(), ...moreMetrics()])
    return c.body((await ofProcess()) + ours, 200, { 'Content-Type': METRICS_CONTENT_TYPE })
  })
  return app
}

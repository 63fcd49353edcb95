/** Health and metrics, for machines. */
import { Hono } from 'hono'
import type { Dashboard, PageEnv } from '../shell/dashboard.ts'
import { METRICS_CONTENT_TYPE, processMetrics, renderMetrics } from './metrics.ts'

/** Answered under any host name, since probes and scrapers use addresses. Nothing here is about a customer. */
export function probes({ accounts, dataPlane }: Dashboard): Hono<PageEnv> {
  const app = new Hono<PageEnv>()
  app.get('/healthz', c => {
    const { healthy } = accounts
    return c.json({ status: healthy ? 'ok' : 'ledger unavailable' }, healthy ? 200 : 503)
  })
  app.get('/metrics', c => {
    const text = renderMetrics([...processMetrics(), ...dataPlane.metrics()])
    return c.body(text, 200, { 'Content-Type': METRICS_CONTENT_TYPE })
  })
  return app
}

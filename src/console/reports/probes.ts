import { Hono } from 'hono'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { counter, gauge, type Metric } from '../../platform/metric.ts'
import type { ControlPlaneParts, Planes } from '../control-plane-parts.ts'

/** Buckets for durations of garbage collections. */
const GC_BUCKETS_SECONDS = [0.0001, 0.001, 0.01, 0.1, 1]

/** Probes and metrics work under any host name, and reveal nothing about customers. */
export function probes(parts: Planes & Pick<ControlPlaneParts, 'moreMetrics'>): Hono {
  const { accounts, dataPlane, moreMetrics = () => [] } = parts
  const app = new Hono()
  // Figures of the process. Their timer and observer never stop.
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess, gcDurationBuckets: GC_BUCKETS_SECONDS })
  app.get('/healthz', c => {
    const { healthy } = accounts.charging
    return c.json({ status: healthy ? 'ok' : 'ledger unavailable' }, healthy ? 200 : 503)
  })
  const render = () => {
    const own = registryOf([...ledgerMetrics(accounts), ...dataPlane.metrics(), ...moreMetrics()])
    return Registry.merge([ofProcess, own]).metrics()
  }
  let rendered: Promise<string> | undefined
  app.get('/metrics', async c => {
    // Requests of one turn of the event loop share a rendering, so that many do not delay probes.
    if (rendered === undefined) {
      rendered = render()
      setImmediate(() => {
        rendered = undefined
      })
    }
    return c.body(await rendered, 200, { 'Content-Type': ofProcess.contentType })
  })
  return app
}

function ledgerMetrics(accounts: Accounts): Metric[] {
  const { unsyncedMs, syncs, syncMsTotal, syncMsMax, isStalled } = accounts.syncState()
  const charged = accounts.chargedQueries()
  const dollars = charged.reduce((sum, { queries }) => sum + queries, 0) * (QUERY_PRICE_MICROS / 1e6)
  const help = {
    charged: 'Queries charged since the start, up to the last flush, by kind of request.',
    revenue: 'Dollars charged for these queries.',
    healthy: '1 while charges can be recorded; with 0, every request gets 503.',
    unsynced: 'Age of the oldest usage or command that is not on the disk yet. A power cut would lose it.',
    stalled: '1 while a sync hangs, so that nothing is charged.',
    syncs: 'Written and synced batches.',
    seconds: 'Time to write and sync these batches.',
    longest: 'Longest time to write and sync one batch since the start.',
  }
  const samples = charged.map(({ usage, queries }) => ({ labels: { usage }, value: queries }))
  return [
    counter('postrie_charged_queries_total', help.charged, samples),
    counter('postrie_revenue_dollars_total', help.revenue, dollars),
    gauge('postrie_ledger_healthy', help.healthy, accounts.charging.healthy ? 1 : 0),
    gauge('postrie_ledger_unsynced_seconds', help.unsynced, unsyncedMs / 1000),
    gauge('postrie_ledger_stalled', help.stalled, isStalled ? 1 : 0),
    counter('postrie_ledger_syncs_total', help.syncs, syncs),
    counter('postrie_ledger_sync_seconds_total', help.seconds, syncMsTotal / 1000),
    gauge('postrie_ledger_sync_seconds_max', help.longest, syncMsMax / 1000),
  ]
}

/** Returns a registry of the given samples. Of a metric, a registry calls only `get`. */
function registryOf(metrics: readonly Metric[]): Registry {
  const registry = new Registry()
  for (const { name, samples, ...metric } of metrics) {
    const values = samples.map(({ suffix = '', ...sample }) => ({ ...sample, metricName: name + suffix }))
    registry.registerMetric({ name, get: async () => ({ ...metric, name, values }) } as never)
  }
  return registry
}

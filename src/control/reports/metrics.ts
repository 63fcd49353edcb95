import { Hono } from 'hono'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Accounts } from '../../accounts/accounts.ts'
import { QUERY_PRICE_MICROS } from '../../money.ts'
import { counter, gauge, type Metric, type Sample } from '../../platform/metric.ts'
import type { Dashboard, PageEnv } from '../dashboard.ts'

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
/** Seconds of garbage collections: longer ones are seen in the latency of answers. */
const GC_BUCKETS_SECONDS = [0.0001, 0.001, 0.01, 0.1, 1]

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
    return c.body((await ofProcess()) + ours, 200, { 'Content-Type': CONTENT_TYPE })
  })
  return app
}

/**
 * Returns the text of metrics that every Prometheus client of Node.js has: memory, CPU time, descriptors, garbage collections and the delay of the main thread's event loop.
 * Costs a timer of 10 ms and an observer for as long as the process lives: call it once.
 */
export function watchProcess(): () => Promise<string> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, gcDurationBuckets: GC_BUCKETS_SECONDS })
  return () => registry.metrics()
}

export function ledgerMetrics(accounts: Accounts): Metric[] {
  const { unsyncedMs, syncs, syncMsTotal, syncMsMax, isStalled } = accounts.syncState()
  const charged = accounts.chargedQueries()
  const dollars = charged.reduce((sum, { queries }) => sum + queries, 0) * (QUERY_PRICE_MICROS / 1e6)
  const help = {
    charged: 'Queries charged since the start, up to the last flush, by kind of request.',
    revenue: 'What these queries cost their accounts.',
    healthy: '1 while charges can be recorded; 0 makes every answer 503.',
    unsynced: 'Age of the oldest usage or command that is not on the disk yet: what a power cut would lose.',
    stalled: '1 while a sync has hung for so long that nothing is charged.',
    syncs: 'Batches that were written and synced.',
    seconds: 'Time that writing and syncing them took.',
    longest: 'The longest time that one batch took since the start.',
  }
  const samples = charged.map(({ usage, queries }) => ({ labels: { usage }, value: queries }))
  return [
    counter('postrie_charged_queries_total', help.charged, samples),
    counter('postrie_revenue_dollars_total', help.revenue, dollars),
    gauge('postrie_ledger_healthy', help.healthy, accounts.healthy ? 1 : 0),
    gauge('postrie_ledger_unsynced_seconds', help.unsynced, unsyncedMs / 1000),
    gauge('postrie_ledger_stalled', help.stalled, isStalled ? 1 : 0),
    counter('postrie_ledger_syncs_total', help.syncs, syncs),
    counter('postrie_ledger_sync_seconds_total', help.seconds, syncMsTotal / 1000),
    gauge('postrie_ledger_sync_seconds_max', help.longest, syncMsMax / 1000),
  ]
}

export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(
        ({ suffix = '', labels, value }) => `${name}${suffix}${renderLabels(labels)} ${value}\n`,
      )
      return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

function renderLabels(labels: Sample['labels']): string {
  const pairs = Object.entries(labels ?? {})
  if (pairs.length === 0) return ''
  const quoted = (text: string) =>
    text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `{${pairs.map(([name, value]) => `${name}="${quoted(value)}"`).join(',')}}`
}

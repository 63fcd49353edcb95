/** What the ledger says of itself, for `/metrics`. */
import type { Accounts } from '../../accounts/accounts.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { type Metric, metric } from '../../platform/metric.ts'

export function ledgerMetrics(accounts: Accounts): Metric[] {
  const { unsyncedMs, syncs, syncMsTotal, syncMsMax, isStalled } = accounts.syncState()
  const charged = accounts.chargedQueries()
  return [
    {
      name: 'postrie_charged_queries_total',
      help: 'Queries charged since the start, up to the last flush, by kind of request.',
      type: 'counter',
      samples: charged.map(({ usage, queries }) => ({ labels: { usage }, value: queries })),
    },
    metric(
      'postrie_revenue_dollars_total',
      'What these queries cost their accounts.',
      'counter',
      charged.reduce((sum, { queries }) => sum + queries, 0) * (QUERY_PRICE_MICROS / 1e6),
    ),
    metric(
      'postrie_ledger_healthy',
      '1 while charges can be recorded; 0 makes every answer 503.',
      'gauge',
      accounts.healthy ? 1 : 0,
    ),
    metric(
      'postrie_ledger_unsynced_seconds',
      'Age of the oldest usage or command that is not on the disk yet: what a power cut would lose.',
      'gauge',
      unsyncedMs / 1000,
    ),
    metric(
      'postrie_ledger_stalled',
      '1 while a sync has hung for so long that nothing is charged.',
      'gauge',
      isStalled ? 1 : 0,
    ),
    metric('postrie_ledger_syncs_total', 'Batches that were written and synced.', 'counter', syncs),
    metric(
      'postrie_ledger_sync_seconds_total',
      'Time that writing and syncing them took.',
      'counter',
      syncMsTotal / 1000,
    ),
    metric(
      'postrie_ledger_sync_seconds_max',
      'The longest time that one batch took since the start.',
      'gauge',
      syncMsMax / 1000,
    ),
  ]
}

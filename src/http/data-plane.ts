/** The data plane: an index, bulk workers and server threads, started and stopped together by the ledger thread. */
import type { Worker } from 'node:worker_threads'
import { BulkWorkers } from '../bulk/workers.ts'
import type { DataPlane, DataPlaneParts, StartDataPlane } from '../data-plane.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { loadNames } from '../library/country-names.ts'
import { SHUTDOWN_GRACE_MS } from '../limits.ts'
import { closeAll } from '../platform/close-all.ts'
import { within } from '../platform/time.ts'
import { ActivityLog } from './activity/activity-log.ts'
import { connectionsMax, descriptorLimit } from './connections.ts'
import { quantilesOf } from './histogram.ts'
import { IndexKeeper } from './index-keeper.ts'
import { DEFINITIONS } from './labels.ts'
import { dataPlaneMetrics } from './metrics.ts'
import { ServerThreads } from './threads/server-threads.ts'

/** Endpoints whose times the dashboard sums up: those of batches are of another kind. */
const SINGLE_RECORD = DEFINITIONS.flatMap((each, e) => (each?.isBatch === false ? [e] : []))

/** Work that needs nothing of the rest, so that it can begin while other code is loading. */
export interface Begun {
  workers: readonly Worker[]
  index: Promise<PostalIndex>
}

export function dataPlaneOn(begun: Begun): StartDataPlane {
  return parts => startOn(begun, parts)
}

async function startOn(
  { workers: launched, index }: Begun,
  { config, accounts, log, onFatal }: DataPlaneParts,
): Promise<DataPlane> {
  const { host, indexFile, bulkWorkers } = config
  const connections = connectionsMax(descriptorLimit())
  // Without workers of its own, a server thread does every task itself and asks for none.
  const workers = bulkWorkers === 0 ? undefined : new BulkWorkers(bulkWorkers)
  const activity = new ActivityLog(config.requestLogBytes)
  const { answerHeaders, corsOrigins, traceShare } = config
  const threads = new ServerThreads({
    workers: launched,
    bulkWorkers,
    connectionsMax: connections,
    proxies: config.proxies,
    tasks: workers,
    observers: { answerHeaders, corsOrigins, traceShare, keepsRequests: config.requestLogBytes > 0 },
    events: {
      report: (err, id) => log.error({ err, id }, 'request failed'),
      noted: batch => activity.add(batch),
      died: onFatal,
    },
  })
  const untrace = traceShare === 0 ? undefined : (await import('./tracing.ts')).traceSyncs(traceShare)
  let keeper: IndexKeeper | undefined
  const close = async () => {
    await closeAll(
      // Batches in progress are still answered on connections that are open.
      () => threads.close(),
      () => workers && within(workers.close(), SHUTDOWN_GRACE_MS),
      // A thread that does not end never gives its index back.
      () => keeper && within(keeper.close(), SHUTDOWN_GRACE_MS),
      () => untrace?.(),
    )
  }
  try {
    keeper = await IndexKeeper.open(indexFile, log, index)
    const charged = await accounts
    const port = await threads.serve(charged, keeper.index, host, config.port)
    // Only now, so that the first answer does not wait for any of them.
    loadNames()
    void keeper.verify()
    workers?.start().catch(onFatal)
    log.info({ max: connections, threads: launched.length }, 'connections are bounded')
    const followers: ((index: PostalIndex) => void)[] = []
    keeper.watch(index => {
      threads.replaceIndex(index)
      for (const follower of followers) follower(index)
    })
    const opened = keeper
    const latency = () =>
      quantilesOf(threads.counts.flatMap(counts => SINGLE_RECORD.map(e => counts.times[e])))
    return {
      port,
      metrics: () =>
        dataPlaneMetrics({
          threads: threads.counts,
          shared: threads.sharedCounts,
          connectionsMax: connections,
          tasks: workers,
          index: opened,
        }),
      activity,
      index: () => opened.index,
      onIndex: listener => followers.push(listener),
      latency,
      reload: () => opened.refresh(),
      close,
    }
  } catch (error) {
    await close().catch(() => {
      // The first error says why.
    })
    throw error
  }
}

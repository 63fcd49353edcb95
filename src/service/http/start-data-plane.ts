/** Starts and stops the data plane on the ledger thread: index, bulk workers and server threads. */
import { readFileSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { SHUTDOWN_GRACE_MS } from '../../platform/limits.ts'
import { Listeners } from '../../platform/listeners.ts'
import { closeAll, finishesWithin } from '../../platform/promises.ts'
import type { PostalIndex } from '../../postal/index/postal-index.ts'
import { loadNames } from '../../postal/library/country-names.ts'
import type { DataPlane, DataPlaneParts } from '../data-plane.ts'
import { Workers } from '../workers/workers.ts'
import { keepActivity, restoreActivity } from './activity/activity-file.ts'
import { ActivityLog } from './activity/activity-log.ts'
import { type LoadedBinary, loadedBinary } from './binary.ts'
import { quantilesOf } from './histogram.ts'
import { ENDPOINT_BY_NUMBER } from './labels.ts'
import { dataPlaneMetrics } from './metrics.ts'
import { ServedIndex } from './served-index.ts'
import { serverThreads } from './threads/server-threads.ts'

/** Maximum number of connections of the API, where the process may open that many file descriptors. */
const CONNECTIONS_MAX = 50_000
/** File descriptors that the API leaves to ledger, index and dashboard; at most half of all. */
const DESCRIPTORS_RESERVED = 512

/** Endpoints for one record, whose times the dashboard sums up. */
const SINGLE_RECORD = ENDPOINT_BY_NUMBER.flatMap((each, e) => (each?.isBulk === false ? [e] : []))

/** Returns the maximum number of connections: the soft limit of open files leaves room for other files. */
function connectionsMaxHere(): number {
  let descriptors = Number.POSITIVE_INFINITY
  try {
    // Node.js raises the soft limit to the hard one.
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    if (soft !== undefined) descriptors = Number(soft)
  } catch {
    // Not on Linux.
  }
  const reserved = Math.min(DESCRIPTORS_RESERVED, Math.ceil(descriptors / 2))
  return Math.min(CONNECTIONS_MAX, descriptors - reserved)
}

/** Starts the data plane. Threads and index have begun to load before this code. */
export async function startDataPlane(
  launched: readonly Worker[],
  index: Promise<PostalIndex>,
  { config, accounts, log, onFatal }: DataPlaneParts,
): Promise<DataPlane> {
  const { host, dataDir, indexFile, requestLogBytes } = config
  const { answerHeaders, bulkWorkers, corsOrigins, traceShare, trustedProxies } = config
  const connectionsMax = connectionsMaxHere()
  // Without bulk workers, a server thread does every task itself.
  const pool = bulkWorkers === 0 ? undefined : new Workers(bulkWorkers)
  const activity = new ActivityLog(requestLogBytes)
  const threads = serverThreads({
    launched,
    pool,
    answerHeaders,
    bulkWorkers,
    connectionsMax,
    corsOrigins,
    keepsRequests: requestLogBytes > 0,
    traceShare,
    trustedProxies,
    events: {
      report: (err, id) => log.error({ err, id }, 'request failed'),
      noted: notes => activity.add(notes),
      died: onFatal,
    },
  })
  let served: ServedIndex | undefined
  let keep: (() => Promise<void>) | undefined
  const close = () =>
    closeAll(
      // Bulk requests in progress are still answered on open connections.
      () => threads.close(),
      () => keep?.(),
      () => pool && finishesWithin(pool.close(), SHUTDOWN_GRACE_MS),
      // A stuck thread never returns its index.
      () => served && finishesWithin(served.close(), SHUTDOWN_GRACE_MS),
    )
  try {
    const opened = await ServedIndex.open(indexFile, log, index)
    served = opened
    const known = await accounts
    // Read before the first request, since each list begins with its oldest.
    await restoreActivity(dataDir, activity, known, log, requestLogBytes)
    const port = await threads.serve(known, opened.index, host, config.port)
    if (requestLogBytes > 0) keep = () => keepActivity(dataDir, activity, known, log)
    // The first answer must not wait for these.
    loadNames()
    void opened.verify()
    let binary: LoadedBinary | undefined
    loadedBinary().then(found => {
      binary = found
    }, onFatal)
    pool?.start().catch(onFatal)
    log.info({ max: connectionsMax, threads: launched.length }, 'connections are bounded')
    const listeners = new Listeners<PostalIndex>()
    listeners.add(next => threads.replaceIndex(next))
    opened.watch(next => listeners.notify(next))
    const { counts, sharedCounts } = threads
    const metricSources = { threads: counts, shared: sharedCounts, connectionsMax, pool, index: opened }
    return {
      port,
      metrics: () => dataPlaneMetrics({ ...metricSources, binary }),
      activity,
      index: () => opened.index,
      servedFile: () => opened,
      onIndex: listener => listeners.add(listener),
      latency: () => quantilesOf(counts.flatMap(({ times }) => SINGLE_RECORD.map(e => times[e]))),
      reload: () => opened.reload(),
      close,
    }
  } catch (error) {
    // The first error has the cause.
    await close().catch(() => {})
    throw error
  }
}

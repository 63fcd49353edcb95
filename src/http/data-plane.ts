/** The data plane: an open index, bulk workers and a listening uWebSockets.js app, started and stopped together. */

import uws, { type TemplatedApp, type us_listen_socket } from 'uWebSockets.js'
import { unwatchFile, watchFile } from 'node:fs'
import type { Service } from '../api/service.ts'
import { BulkPool } from '../bulk/pool.ts'
import type { DataPlane, DataPlaneParts, StartDataPlane } from '../data-plane.ts'
import { openIndex } from '../index/postal-index.ts'
import { SHUTDOWN_GRACE_MS } from '../limits.ts'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric.ts'
import { takeCensus } from './census.ts'
import { Connections, connectionBounds, descriptorLimit } from './connections.ts'
import { LatencySample } from './latency.ts'
import { socketMetrics } from './metrics.ts'
import { reasonsNotReady } from './readiness.ts'
import { createApp } from './routes.ts'

/** How often the index file is checked for a newer build. */
const INDEX_WATCH_MS = 2000

const LISTEN_EXCLUSIVELY = 1

export const startDataPlane: StartDataPlane = async ({
  config,
  accounts,
  log,
}: DataPlaneParts): Promise<DataPlane> => {
  const service: Service = { index: openIndex(config.indexFile), meter: accounts }
  logIndex(log, service, 'index opened')
  const bulk = new BulkPool(service.index, config.bulkWorkers)
  const latency = new LatencySample()
  const bounds = connectionBounds(descriptorLimit(), config.connectionsPerAddress)
  const connections = new Connections(bounds, () => takeCensus(port))
  let isDraining = false
  const parts = createApp({
    service,
    bulk,
    latency,
    connections,
    report: (err, id) => log.error({ err, id }, 'request failed'),
    notReady: () => reasonsNotReady(service, isDraining),
  })
  const socket = await listen(parts.app, config.host, config.port).catch(async error => {
    await bulk.close()
    throw error
  })
  const port = uws.us_socket_local_port(socket)
  log.info(bounds, 'connections are bounded')
  watchFile(config.indexFile, { interval: INDEX_WATCH_MS, persistent: false }, () => {
    replaceIndex(service, bulk, config.indexFile, log)
  })
  return {
    port,
    metrics: () => [...metricsOf(service, bulk, latency), ...socketMetrics(parts, connections)],
    index: () => service.index,
    latency: () => latency.quantiles(),
    async close() {
      unwatchFile(config.indexFile)
      isDraining = true
      uws.us_listen_socket_close(socket)
      // Batches in progress are still answered on connections that are open.
      await withinGrace(parts.answered())
      parts.app.close()
      await withinGrace(bulk.close())
    },
  }
}

/** Resolves with `work`, or after the time that replies in progress may take when the server stops. */
async function withinGrace(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>(resolve => {
    timer = setTimeout(resolve, SHUTDOWN_GRACE_MS)
  })
  await Promise.race([work, grace])
  clearTimeout(timer)
}

/** A build puts a new file in place of the old; requests in progress finish on the old mapping, which stays as it is. */
function replaceIndex(service: Service, bulk: BulkPool, path: string, log: Log): void {
  try {
    const index = openIndex(path)
    if (index.file.buildId === service.index.file.buildId) return
    service.index = index
    bulk.replaceIndex(index)
    logIndex(log, service, 'index replaced')
  } catch (err) {
    log.error({ err, indexFile: path }, 'the new index cannot be opened: serving the old one')
  }
}

function logIndex(log: Log, { index }: Service, message: string): void {
  const { codeCount, countryCount, buildId } = index.file
  log.info({ indexFile: index.path, codeCount, countryCount, buildId, mapped: index.mapped }, message)
  if (!index.mapped)
    log.warn('mmap is missing: the index was read into memory, once for this thread and each worker')
}

/** The overload that the package's type file lacks. */
type ListenExclusively = (
  host: string,
  port: number,
  options: number,
  done: (socket: us_listen_socket | false) => void,
) => void

function listen(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    const listenOn = app.listen.bind(app) as unknown as ListenExclusively
    // Without this option two servers could share a port and take each other's requests.
    listenOn(host, port, LISTEN_EXCLUSIVELY, socket => {
      if (socket !== false) resolve(socket)
      else
        reject(
          new Error(
            `cannot listen on ${host}:${port}: it is taken or not an address of this machine; set HOST or PORT`,
          ),
        )
    })
  })
}

function metricsOf({ index }: Service, bulk: BulkPool, latency: LatencySample): Metric[] {
  const times = latency.quantiles()
  const quantile = (name: string, micros: number) => ({ labels: { quantile: name }, value: micros / 1e6 })
  return [
    {
      name: 'postrie_index_codes',
      help: 'Postal codes in the index.',
      type: 'gauge',
      samples: [{ value: index.file.codeCount }],
    },
    {
      name: 'postrie_bulk_waiting',
      help: 'Bulk requests waiting for a worker.',
      type: 'gauge',
      samples: [{ value: bulk.waiting }],
    },
    {
      name: 'postrie_answer_seconds',
      help: 'Time of single-record answers inside the server since its start, sampled.',
      type: 'gauge',
      samples: times === null ? [] : [quantile('0.5', times.p50Micros), quantile('0.99', times.p99Micros)],
    },
  ]
}

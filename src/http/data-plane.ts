/** The data plane: an open index, bulk workers and a listening uWebSockets.js app, started and stopped together. */

import uws, { type TemplatedApp, type us_listen_socket } from 'uWebSockets.js'
import type { Service } from '../api/service.ts'
import { BulkPool } from '../bulk/pool.ts'
import type { DataPlane, DataPlaneParts, StartDataPlane } from '../data-plane.ts'
import { SHUTDOWN_GRACE_MS } from '../limits.ts'
import type { Metric } from '../platform/metric.ts'
import { takeCensus } from './census.ts'
import { Connections, connectionBounds, descriptorLimit } from './connections.ts'
import { IndexKeeper, type IndexState } from './index-keeper.ts'
import { LatencySample } from './latency.ts'
import { socketMetrics } from './metrics.ts'
import { reasonsNotReady } from './readiness.ts'
import { createApp } from './routes.ts'

const LISTEN_EXCLUSIVELY = 1

export const startDataPlane: StartDataPlane = async ({
  config,
  accounts,
  log,
}: DataPlaneParts): Promise<DataPlane> => {
  const keeper = await IndexKeeper.open(config.indexFile, log)
  const service: Service = { index: keeper.index, meter: accounts }
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
    await keeper.close()
    throw error
  })
  const port = uws.us_socket_local_port(socket)
  log.info(bounds, 'connections are bounded')
  keeper.watch(index => {
    service.index = index
    bulk.replaceIndex(index)
  })
  return {
    port,
    metrics: () => [...metricsOf(service, keeper.state, bulk, latency), ...socketMetrics(parts, connections)],
    index: () => service.index,
    latency: () => latency.quantiles(),
    reload: () => keeper.refresh(),
    async close() {
      isDraining = true
      uws.us_listen_socket_close(socket)
      // Batches in progress are still answered on connections that are open.
      await withinGrace(parts.replies.finished())
      parts.app.close()
      await withinGrace(bulk.close())
      await keeper.close()
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

function metricsOf({ index }: Service, state: IndexState, bulk: BulkPool, latency: LatencySample): Metric[] {
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
      name: 'postrie_index_verified',
      help: '1 when every checksum of the index has been found right, 0 before that or when one is wrong.',
      type: 'gauge',
      samples: [{ value: state === 'verified' ? 1 : 0 }],
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

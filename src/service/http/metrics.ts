/** Metrics of the data plane. Others: `probes.ts`, `fleet-node.ts`, `poll-index.ts`. */

import { counter, gauge, histogram, type Metric, type Sample } from '../../platform/metric.ts'
import type { WorkerPool } from '../workers/workers.ts'
import type { LoadedBinary } from './binary.ts'
import { GAUGE, type ProcessCounts, type ThreadCounts, TOTAL } from './counts.ts'
import { histogramSamples } from './histogram.ts'
import { ENDPOINT_LABELS, OTHER_ENDPOINT, REFUSAL_REASONS, STATUSES } from './labels.ts'
import type { ServedIndex } from './served-index.ts'

interface MetricSources {
  readonly threads: readonly ThreadCounts[]
  readonly shared: ProcessCounts
  readonly connectionsMax: number
  readonly pool: WorkerPool | undefined
  readonly index: ServedIndex
  /** Undefined until its file has been read. */
  readonly binary: LoadedBinary | undefined
}

export function dataPlaneMetrics(sources: MetricSources): Metric[] {
  return [
    ...requestMetrics(sources),
    ...indexMetrics(sources.index),
    ...socketMetrics(sources),
    binaryMetric(sources.binary),
    ...threadMetrics(sources.threads),
  ]
}

function requestMetrics({ threads, shared }: MetricSources): Metric[] {
  const answers = ENDPOINT_LABELS.flatMap((endpoint, e) =>
    STATUSES.map((status, s) => ({
      labels: { endpoint, status: String(status) },
      value: sum(threads, one => one.answers(e, s)),
    })),
  )
  const refusals = REFUSAL_REASONS.map((reason, i) => ({
    labels: { reason },
    value: sum(threads, one => one.refusals[i]),
  }))
  const connections = { labels: { reason: 'connections' }, value: shared.load(TOTAL.refused) }
  const times = ENDPOINT_LABELS.slice(0, OTHER_ENDPOINT).flatMap((endpoint, e) =>
    histogramSamples(
      threads.map(one => one.times[e]),
      { endpoint },
    ),
  )
  return [
    counter('postrie_answers_total', 'Answers of the API, by endpoint and status.', answers),
    counter('postrie_refusals_total', 'Requests, bodies and connections that were refused, by reason.', [
      ...refusals,
      connections,
    ]),
    histogram('postrie_answer_seconds', 'Time from a complete body to the answer, by endpoint.', times),
  ]
}

function socketMetrics({ threads, shared, connectionsMax, pool }: MetricSources): Metric[] {
  return [
    gauge('postrie_connections', 'Connections of the API.', shared.load(TOTAL.open)),
    gauge('postrie_connections_max', 'Connections that the API accepts.', connectionsMax),
    gauge(
      'postrie_unfinished_body_bytes',
      'Bytes of bodies that have not all arrived.',
      sum(threads, one => one.gauges[GAUGE.heldBytes]),
    ),
    gauge('postrie_failed_keys_waiting', 'Answers to failed keys that wait.', shared.load(TOTAL.waitingKeys)),
    gauge('postrie_bulk_waiting', 'Long requests that wait for a worker.', pool?.waiting ?? 0),
    gauge('postrie_bulk_tasks', 'Long requests in workers or waiting.', shared.load(TOTAL.workerTasks)),
  ]
}

function binaryMetric(binary: LoadedBinary | undefined): Metric {
  const help = '1, with package, version and SHA-256 of the loaded binary of uWebSockets.js.'
  if (binary === undefined) return gauge('postrie_http_binary_info', help, [])
  const { file: _, ...labels } = binary
  return gauge('postrie_http_binary_info', help, [{ labels, value: 1 }])
}

function threadMetrics(threads: readonly ThreadCounts[]): Metric[] {
  const byThread = (samplesOf: (one: ThreadCounts, labels: { thread: string }) => Sample[]) =>
    threads.flatMap((one, i) => samplesOf(one, { thread: String(i) }))
  return [
    gauge('postrie_server_threads', 'Threads that answer the API.', threads.length),
    histogram(
      'postrie_event_loop_delay_seconds',
      'How late a timer of the event loop was.',
      byThread((one, labels) => histogramSamples([one.delays], labels)),
    ),
    gauge(
      'postrie_thread_heap_bytes',
      'Heap in use, by server thread.',
      byThread((one, labels) => [{ labels, value: one.gauges[GAUGE.heapBytes] }]),
    ),
  ]
}

function indexMetrics({ index, state, writtenMs, reloads }: ServedIndex): Metric[] {
  const { codeCount, buildId } = index.file
  return [
    gauge('postrie_index_codes', 'Postal codes in the index.', codeCount),
    gauge('postrie_index_info', '1, with the build of the served index.', [
      { labels: { build: buildId }, value: 1 },
    ]),
    gauge(
      'postrie_index_written_timestamp_seconds',
      'When the file of the index was written, in seconds since 1970.',
      writtenMs / 1000,
    ),
    gauge(
      'postrie_index_verified',
      '1 if every checksum of the index is right, 0 before the check or if one is wrong.',
      state === 'verified' ? 1 : 0,
    ),
    counter(
      'postrie_index_refreshes_total',
      'Files that were tried in place of the index, by outcome.',
      Object.entries(reloads).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
  ]
}

function sum(threads: readonly ThreadCounts[], part: (one: ThreadCounts) => number): number {
  return threads.reduce((total, one) => total + part(one), 0)
}

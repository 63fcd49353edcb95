/** What the data plane counts, for `/metrics`. */
import type { BulkTasks } from '../bulk/tasks.ts'
import { type Metric, metric, type Sample } from '../platform/metric.ts'
import type { ConnectionBounds } from './connections.ts'
import { ENDPOINTS, REASONS, STATUSES } from './counted.ts'
import type { IndexKeeper } from './index-keeper.ts'
import { ANSWER_BUCKETS, DELAY_BUCKETS, latencyHistogram } from './latency.ts'
import { CELL, type ProcessCounts } from './shared/process-counts.ts'
import { COLLECTIONS, type ThreadCounts } from './shared/thread-counts.ts'

/** The counts of all server threads. */
interface AllCounts {
  readonly counts: readonly ThreadCounts[]
  readonly sharedCounts: ProcessCounts
}

export function requestMetrics({ counts, sharedCounts }: AllCounts): Metric[] {
  const sum = sumOver(counts)
  const refusedConnections = Atomics.load(sharedCounts.cells, CELL.refused)
  return [
    {
      name: 'postrie_answers_total',
      help: 'Answers of the API, by endpoint and status.',
      type: 'counter',
      samples: ENDPOINTS.flatMap((endpoint, e) =>
        STATUSES.map((status, s) => ({
          labels: { endpoint, status: String(status) },
          value: sum(one => one.answers(e, s)),
        })),
      ),
    },
    {
      name: 'postrie_refusals_total',
      help: 'Requests, bodies and connections that were refused, by reason.',
      type: 'counter',
      samples: [
        ...REASONS.map((reason, i) => ({ labels: { reason }, value: sum(one => one.refusals(i)) })),
        { labels: { reason: 'connections' }, value: refusedConnections },
      ],
    },
    {
      name: 'postrie_answer_seconds',
      help: 'Time from a complete body to the answer in the socket, by endpoint.',
      type: 'histogram',
      samples: ENDPOINTS.slice(0, -1).flatMap((endpoint, e) =>
        latencyHistogram(
          counts.map(one => one.latency(e)),
          ANSWER_BUCKETS,
          { endpoint },
        ),
      ),
    },
    metric(
      'postrie_queries_taken_back_total',
      'Queries that were not charged after all because their answers could not be sent.',
      'counter',
      sum(one => one.takenBack),
    ),
  ]
}

export function socketMetrics(
  { counts, sharedCounts }: AllCounts,
  bounds: ConnectionBounds,
  tasks: BulkTasks | undefined,
): Metric[] {
  const { cells } = sharedCounts
  return [
    metric('postrie_connections', 'Connections of the API.', 'gauge', Atomics.load(cells, CELL.open)),
    metric('postrie_connections_max', 'Connections that the API accepts.', 'gauge', bounds.max),
    metric(
      'postrie_connections_refused_total',
      'Connections closed because there were too many, in all or of one address.',
      'counter',
      Atomics.load(cells, CELL.refused),
    ),
    metric(
      'postrie_unfinished_body_bytes',
      'Bytes held for bodies that have not arrived completely.',
      'gauge',
      sumOver(counts)(one => one.heldBytes),
    ),
    metric(
      'postrie_failed_keys_waiting',
      'Answers to failed keys that are sent a second late.',
      'gauge',
      Atomics.load(cells, CELL.waitingKeys),
    ),
    metric('postrie_bulk_waiting', 'Bulk requests waiting for a worker.', 'gauge', tasks?.waiting ?? 0),
    metric(
      'postrie_bulk_tasks',
      'Tasks that wait for a bulk worker or are with one.',
      'gauge',
      Atomics.load(cells, CELL.bulkTasks),
    ),
  ]
}

export function threadMetrics(counts: readonly ThreadCounts[]): Metric[] {
  const byThread = (value: (counts: ThreadCounts) => number): Sample[] =>
    counts.map((one, i) => ({ labels: { thread: String(i) }, value: value(one) }))
  const byCollection = (value: (counts: ThreadCounts, kind: number) => number): Sample[] =>
    counts.flatMap((one, i) =>
      COLLECTIONS.map((kind, k) => ({ labels: { thread: String(i), kind }, value: value(one, k) })),
    )
  return [
    metric('postrie_server_threads', 'Threads that answer the API.', 'gauge', counts.length),
    {
      name: 'postrie_event_loop_delay_seconds',
      help: 'How late a timer of the event loop was, ten times a second, by server thread.',
      type: 'histogram',
      samples: counts.flatMap((one, i) =>
        latencyHistogram([one.delays], DELAY_BUCKETS, { thread: String(i) }),
      ),
    },
    {
      name: 'postrie_thread_heap_bytes',
      help: 'Heap in use, by server thread.',
      type: 'gauge',
      samples: byThread(one => one.heapBytes),
    },
    {
      name: 'postrie_thread_gc_total',
      help: 'Garbage collections, by server thread and kind.',
      type: 'counter',
      samples: byCollection((one, kind) => one.collections(kind).count),
    },
    {
      name: 'postrie_thread_gc_seconds_total',
      help: 'Time that they took.',
      type: 'counter',
      samples: byCollection((one, kind) => one.collections(kind).seconds),
    },
  ]
}

/** How often server threads were in each other's way: with few accounts and many threads, seldom; with many accounts, hardly ever. */
export function lockMetrics({ waits, sleeps }: { waits: number; sleeps: number }): Metric[] {
  return [
    metric(
      'postrie_account_lock_waits_total',
      'Charges that found the account taken by another thread.',
      'counter',
      waits,
    ),
    metric(
      'postrie_account_lock_sleeps_total',
      'Those of them whose thread slept before the account was free.',
      'counter',
      sleeps,
    ),
  ]
}

export function indexMetrics({ index, state, writtenMs, refreshes }: IndexKeeper): Metric[] {
  const { codeCount, buildId } = index.file
  return [
    metric('postrie_index_codes', 'Postal codes in the index.', 'gauge', codeCount),
    {
      name: 'postrie_index_info',
      help: '1, with the build of the index that is served.',
      type: 'gauge',
      samples: [{ labels: { build: buildId }, value: 1 }],
    },
    metric(
      'postrie_index_written_timestamp_seconds',
      'When the file of the index was written, in seconds since 1970: its age is the difference from the present time.',
      'gauge',
      writtenMs / 1000,
    ),
    metric(
      'postrie_index_verified',
      '1 when every checksum of the index has been found right, 0 before that or when one is wrong.',
      'gauge',
      state === 'verified' ? 1 : 0,
    ),
    {
      name: 'postrie_index_refreshes_total',
      help: 'Files that were tried in place of the index, by outcome.',
      type: 'counter',
      samples: Object.entries(refreshes).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
  ]
}

function sumOver(counts: readonly ThreadCounts[]) {
  return (part: (counts: ThreadCounts) => number) => counts.reduce((total, one) => total + part(one), 0)
}

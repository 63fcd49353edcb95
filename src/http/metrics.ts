/** What the data plane counts, for `/metrics`. */
import type { BulkTasks } from '../bulk/tasks.ts'
import { type Metric, metric } from '../platform/metric.ts'
import type { ConnectionBounds } from './connections.ts'
import type { IndexKeeper } from './index-keeper.ts'
import { latencyHistogram } from './latency.ts'
import { CELL, type ProcessCounts } from './shared/process-counts.ts'
import { STATUSES, type ThreadCounts } from './shared/thread-counts.ts'

/** The counts of all server threads. */
interface AllCounts {
  readonly counts: readonly ThreadCounts[]
  readonly sharedCounts: ProcessCounts
}

export function socketMetrics(
  { counts, sharedCounts }: AllCounts,
  bounds: ConnectionBounds,
  tasks: BulkTasks | undefined,
): Metric[] {
  const { cells } = sharedCounts
  const sum = (part: (counts: ThreadCounts) => number) => counts.reduce((total, one) => total + part(one), 0)
  return [
    metric('postrie_server_threads', 'Threads that answer the API.', 'gauge', counts.length),
    {
      name: 'postrie_answers_total',
      help: 'Answers to requests of the API whose body has been read, by status.',
      type: 'counter',
      samples: STATUSES.map((status, i) => ({
        labels: { status: String(status) },
        value: sum(one => one.answers(i)),
      })),
    },
    metric('postrie_connections', 'Connections of the API.', 'gauge', Atomics.load(cells, CELL.open)),
    metric('postrie_connections_max', 'Connections that the API accepts.', 'gauge', bounds.max),
    metric(
      'postrie_connections_refused_total',
      'Connections closed because there were too many.',
      'counter',
      Atomics.load(cells, CELL.refused),
    ),
    metric(
      'postrie_unfinished_body_bytes',
      'Bytes held for bodies that have not arrived completely.',
      'gauge',
      sum(one => one.heldBytes),
    ),
    metric(
      'postrie_failed_keys_waiting',
      'Answers to failed keys that are sent a second late.',
      'gauge',
      Atomics.load(cells, CELL.waitingKeys),
    ),
    metric(
      'postrie_queries_taken_back_total',
      'Queries that were not charged after all because their answers could not be sent.',
      'counter',
      sum(one => one.takenBack),
    ),
    metric('postrie_bulk_waiting', 'Bulk requests waiting for a worker.', 'gauge', tasks?.waiting ?? 0),
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

/** @param samples counts of the latencies of each thread */
export function indexMetrics({ index, state }: IndexKeeper, samples: readonly Float64Array[]): Metric[] {
  return [
    metric('postrie_index_codes', 'Postal codes in the index.', 'gauge', index.file.codeCount),
    metric(
      'postrie_index_verified',
      '1 when every checksum of the index has been found right, 0 before that or when one is wrong.',
      'gauge',
      state === 'verified' ? 1 : 0,
    ),
    {
      name: 'postrie_answer_seconds',
      help: 'Time of single-record answers inside the server: one of sixteen is measured.',
      type: 'histogram',
      samples: latencyHistogram(samples),
    },
  ]
}

/** What the socket side counts, for `/metrics`. */
import { type Metric, metric } from '../platform/metric.ts'
import type { Connections } from './connections.ts'
import type { DataApp } from './routes.ts'

export function socketMetrics({ bodies, replies }: DataApp, connections: Connections): Metric[] {
  return [
    metric('postrie_connections', 'Connections of the API.', 'gauge', connections.open),
    metric('postrie_connections_max', 'Connections that the API accepts.', 'gauge', connections.bounds.max),
    metric(
      'postrie_connections_refused_total',
      'Connections closed because there were too many.',
      'counter',
      connections.refused,
    ),
    metric(
      'postrie_unfinished_body_bytes',
      'Bytes held for bodies that have not arrived completely.',
      'gauge',
      bodies.heldBytes,
    ),
    metric(
      'postrie_failed_keys_waiting',
      'Answers to failed keys that are sent a second late.',
      'gauge',
      replies.failedKeys.waiting,
    ),
    metric(
      'postrie_queries_taken_back_total',
      'Queries that were not charged after all because their answers could not be sent.',
      'counter',
      replies.unsent.takenBack,
    ),
  ]
}

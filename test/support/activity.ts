/** Entries of the request log and counts of refused requests, as the service notes them. */
import { HOUR_MS } from '../../src/platform/time.ts'
import type { LoggedRequest, RefusalCount } from '../../src/service/data-plane.ts'

const OF_ALL = { endpoint: 'lookup', bound: null, keyRefusal: null, client: null }

export function loggedRequest(of: Pick<LoggedRequest, 'sender'> & Partial<LoggedRequest>): LoggedRequest {
  const request = { country: 'US', status: 404, error: null, durationMicros: 5, queries: 0, code: null }
  return { ...OF_ALL, ...request, unpaid: null, timeMs: Date.now(), requestId: null, ...of }
}

/** Refused once, by default at `lastMs`, which is now. */
export function refusalCount(of: Pick<RefusalCount, 'sender'> & Partial<RefusalCount>): RefusalCount {
  const lastMs = of.lastMs ?? Date.now()
  const times = { hour: Math.floor(Date.now() / HOUR_MS), firstMs: lastMs, lastMs }
  return { ...OF_ALL, ...times, status: 400, error: '', requests: 1, ...of }
}

import { fail } from '../api/response/respond.ts'
import type { Replies } from './reply.ts'

/** Seconds after which a client that met a full queue may try again: a full queue is empty within a fraction of one. */
const BUSY_RETRY_SECONDS = 1

/** Refuses work that has to wait: as much is waiting as may. */
export function failBusy({ request }: Replies, startedMs: number): void {
  request.begin(startedMs)
  request.retryAfter = BUSY_RETRY_SECONDS
  fail(request, 'UNAVAILABLE')
}

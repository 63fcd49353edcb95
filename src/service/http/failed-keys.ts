/**
 * Slows down clients that try keys: after KEY_FAILURES_MAX failures from one address in a minute, its further 401s come a second late.
 * A valid key is answered at once, since many customers may share the address of one proxy.
 */
import type { HttpResponse } from 'uWebSockets.js'
import { KEY_FAILURE_DELAY_MS, KEY_FAILURES_MAX, KEY_FAILURES_WAITING_MAX } from '../../platform/limits.ts'
import { MINUTE_MS, monotonicMs } from '../../platform/time.ts'
import type { Clients } from './clients.ts'
import { CELL, type ProcessCounts } from './counts.ts'

/** Counts a failed key. Returns true if `answer` will be called later, corked; false if the caller must answer now. */
export function delayFailedKey(
  res: HttpResponse,
  counts: ProcessCounts,
  clients: Clients,
  answer: () => void,
): boolean {
  const minute = Math.floor(monotonicMs() / MINUTE_MS)
  if (counts.countFailure(clients.network(res), minute) <= KEY_FAILURES_MAX) return false
  const release = () => Atomics.sub(counts.cells, CELL.waitingKeys, 1)
  if (Atomics.add(counts.cells, CELL.waitingKeys, 1) >= KEY_FAILURES_WAITING_MAX) {
    release()
    return false
  }
  const timer = setTimeout(() => {
    release()
    res.cork(answer)
  }, KEY_FAILURE_DELAY_MS).unref()
  res.onAborted(() => {
    clearTimeout(timer)
    release()
  })
  return true
}

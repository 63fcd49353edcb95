/**
 * Slows down clients that try keys: after KEY_FAILURES_MAX failures from one address in a minute, further
 * 401s come a second late. Valid keys are answered at once: many customers may share the address of one
 * proxy.
 */
import type { HttpResponse } from 'uWebSockets.js'
import { MINUTE_MS, monotonicMs } from '../../platform/time.ts'
import type { Clients } from './clients.ts'
import { CELL, type ProcessCounts } from './counts.ts'

/** Maximum number of failed keys of one address (IPv6: one /64) in a minute, before delays. */
export const KEY_FAILURES_MAX = 20
const KEY_FAILURE_DELAY_MS = 1000
/** Maximum number of delayed answers. A further one is sent at once. */
const KEY_FAILURES_WAITING_MAX = 4096

/** Counts a failed key. Returns true if `answer` will be called later, corked; false: answer now. */
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

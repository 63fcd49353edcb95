/** Requests that wait for a lease, in a fleet. */
import type { HttpResponse } from 'uWebSockets.js'
import type { Shortfall, WaitForLease } from '../../billing/accounts/charging/charging.ts'

/** Longest time that a request waits for its node's lease. Then it is answered 503 with `Retry-After`. */
export const LEASE_WAIT_MS_MAX = 1000
/** Maximum number of requests that may wait on one server thread. */
const LEASE_WAITING_MAX = 10_000
/** Maximum bytes of the bodies of waiting requests of one server thread. */
const LEASE_WAITING_BYTES_MAX = 64 * 1024 * 1024

/**
 * Returns a function that keeps a request until its node has a lease, then calls `again`. It returns null
 * if too many wait, or if all attempts together take LEASE_WAIT_MS_MAX.
 */
export function leaseWaits(waitForLease: WaitForLease) {
  let waiting = 0
  let bytesWaiting = 0
  /** Time of the first wait of a request; -Infinity before its last attempt. */
  const waitsSinceMs = new WeakMap<HttpResponse, number>()

  /** @param bytes memory that the request keeps */
  return (res: HttpResponse, shortfall: Shortfall, bytes: number, again: () => void) => {
    const nowMs = performance.now()
    const sinceMs = waitsSinceMs.get(res) ?? nowMs
    const leftMs = sinceMs + LEASE_WAIT_MS_MAX - nowMs
    if (leftMs <= 0 || waiting >= LEASE_WAITING_MAX || bytesWaiting + bytes > LEASE_WAITING_BYTES_MAX)
      return null
    let isAborted = false
    res.onAborted(() => {
      isAborted = true
    })
    waiting++
    bytesWaiting += bytes
    const waited = waitForLease(shortfall, leftMs).catch(() => false)
    return waited.then(triesAgain => {
      waiting--
      bytesWaiting -= bytes
      waitsSinceMs.set(res, triesAgain ? sinceMs : Number.NEGATIVE_INFINITY)
      if (!isAborted) again()
    })
  }
}

/** In a fleet, requests that wait for a lease. */
import type { HttpResponse } from 'uWebSockets.js'
import type { Meter, Wanted } from '../accounts/types.ts'
import { LEASE_WAIT_MS_MAX, LEASE_WAITING_BYTES_MAX, LEASE_WAITING_MAX } from '../limits.ts'

export class LeaseWaits {
  readonly #meter: Meter
  #waiting = 0
  #bytes = 0
  #sinceMs: number | null = null

  constructor(meter: Meter) {
    this.#meter = meter
  }

  /**
   * Keeps a request until the node has leased what it wants, and then calls `again`, unless its client has gone. A request waits for
   * LEASE_WAIT_MS_MAX over all its attempts. Returns null when it has, or when too many wait.
   * @param bytes that the request keeps in memory
   */
  wait(res: HttpResponse, wanted: Wanted, bytes: number, again: () => void): Promise<void> | null {
    const nowMs = performance.now()
    const sinceMs = this.#sinceMs ?? nowMs
    const leftMs = sinceMs + LEASE_WAIT_MS_MAX - nowMs
    if (leftMs <= 0 || this.#waiting >= LEASE_WAITING_MAX || this.#bytes + bytes > LEASE_WAITING_BYTES_MAX)
      return null
    let isAborted = false
    res.onAborted(() => {
      isAborted = true
    })
    this.#waiting++
    this.#bytes += bytes
    const lease = this.#meter.lease(wanted, leftMs).catch(() => false)
    return lease.then(isWorthIt => {
      this.#waiting--
      this.#bytes -= bytes
      if (isAborted) return
      // Without a lease the next attempt is the last: it looks as if it had waited forever.
      this.#sinceMs = isWorthIt ? sinceMs : Number.NEGATIVE_INFINITY
      try {
        again()
      } finally {
        this.#sinceMs = null
      }
    })
  }
}

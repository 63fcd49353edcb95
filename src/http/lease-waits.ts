/** Requests of a fleet's node that wait until it has leased more, up to LEASE_WAIT_MS_MAX over all attempts. */
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
   * Keeps a request, unless too many wait or it has waited long enough.
   * @param bytes that it keeps in memory
   * @param again tries it again, once, unless its client has gone
   * @returns resolves when it has been tried again; null: it is not kept
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
    return this.#meter.lease(wanted, leftMs).then(isWorthIt => {
      this.#waiting--
      this.#bytes -= bytes
      if (isAborted) return
      // Long ago: the next attempt is the last.
      this.#sinceMs = isWorthIt ? sinceMs : Number.NEGATIVE_INFINITY
      try {
        again()
      } finally {
        this.#sinceMs = null
      }
    })
  }
}

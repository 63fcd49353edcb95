/** Requests that wait for a lease, in a fleet. */
import type { Shortfall, WaitForLease } from '../../billing/accounts/charging/charging.ts'

/** Longest time that a request waits for its node's lease. Then it is answered 503 with `Retry-After`. */
export const LEASE_WAIT_MS_MAX = 1000
/** Maximum number of requests that may wait on one server thread. */
const LEASE_WAITING_MAX = 10_000
/** Maximum bytes of the bodies of waiting requests of one server thread. */
const LEASE_WAITING_BYTES_MAX = 64 * 1024 * 1024

export class LeaseWaits {
  readonly #waitForLease: WaitForLease
  #waiting = 0
  #bytesWaiting = 0

  constructor(waitForLease: WaitForLease) {
    this.#waitForLease = waitForLease
  }

  /**
   * Waits until the node may have leased enough for another attempt. Resolves to the end of that attempt's
   * wait: `endMs`, or -Infinity if it is the last attempt. Returns null if too many wait, or after `endMs`.
   * @param bytes memory that the request keeps
   */
  wait(
    shortfall: Shortfall,
    bytes: number,
    endMs = performance.now() + LEASE_WAIT_MS_MAX,
  ): Promise<number> | null {
    const leftMs = endMs - performance.now()
    const isFull = this.#waiting >= LEASE_WAITING_MAX || this.#bytesWaiting + bytes > LEASE_WAITING_BYTES_MAX
    if (leftMs <= 0 || isFull) return null
    this.#waiting++
    this.#bytesWaiting += bytes
    const waited = this.#waitForLease(shortfall, leftMs).catch(() => false)
    return waited.then(triesAgain => {
      this.#waiting--
      this.#bytesWaiting -= bytes
      return triesAgain ? endMs : Number.NEGATIVE_INFINITY
    })
  }
}

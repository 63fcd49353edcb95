/**
 * Slows down who tries keys: after some failures from one address within a minute, its further 401s come a second late.
 * Only failures wait. A valid key is answered at once, since many customers may share the address of one proxy.
 * A failure that came after another request, in the same read, may not wait (`ReadPositions.mayWait`).
 */
import type { HttpResponse } from 'uWebSockets.js'
import { KEY_FAILURE_DELAY_MS, KEY_FAILURES_MAX, KEY_FAILURES_WAITING_MAX } from '../limits.ts'
import { monotonicMs } from '../platform/monotonic.ts'
import type { Clients } from './clients.ts'
import { CELL, type ProcessCounts } from './shared/process-counts.ts'
import { addressTallyKey } from './shared/tally.ts'

const MINUTE_MS = 60_000

interface Waiting {
  res: HttpResponse
  dueMs: number
  isAborted: boolean
}

export class FailedKeys {
  readonly #answer: (res: HttpResponse) => void
  readonly #counts: ProcessCounts
  readonly #clients: Clients
  /** In the order in which they are due, since all wait equally long. */
  readonly #waiting = new Set<Waiting>()
  #isTimed = false

  readonly #positions: { readonly mayWait: boolean }
  readonly #failuresMax: number

  /**
   * @param answer sends the 401, corked
   * @param counts shared by all threads: failures by address, and answers that wait
   * @param clients whom a failure is counted for
   * @param positions where the request that is answered stood in its read
   * @param failuresMax failures of one address in a minute that are answered at once
   */
  constructor(
    answer: (res: HttpResponse) => void,
    counts: ProcessCounts,
    clients: Clients,
    positions: { readonly mayWait: boolean },
    failuresMax = KEY_FAILURES_MAX,
  ) {
    this.#answer = answer
    this.#counts = counts
    this.#clients = clients
    this.#positions = positions
    this.#failuresMax = failuresMax
  }

  /** Answers of the process that wait at this moment. */
  get waiting(): number {
    return Atomics.load(this.#counts.cells, CELL.waitingKeys)
  }

  /** Counts a failed key. True when its answer waits and is sent from here; false when the caller answers now. */
  delay(res: HttpResponse): boolean {
    if (this.#count(this.#clients.key(res)) <= this.#failuresMax) return false
    if (!this.#positions.mayWait || !this.#reserve()) return false
    const waiting: Waiting = { res, dueMs: performance.now() + KEY_FAILURE_DELAY_MS, isAborted: false }
    res.onAborted(() => {
      waiting.isAborted = true
      this.#remove(waiting)
    })
    this.#waiting.add(waiting)
    this.#wake(KEY_FAILURE_DELAY_MS)
    return true
  }

  /** Failures of the address in this minute, with this one. An address that finds no room in the table is not counted. */
  #count(address: string): number {
    const minute = Math.floor(monotonicMs() / MINUTE_MS)
    return this.#counts.failures.add(addressTallyKey(address), minute, 1)
  }

  /** Counts one more answer that waits, if it may. */
  #reserve(): boolean {
    const { cells } = this.#counts
    if (Atomics.add(cells, CELL.waitingKeys, 1) < KEY_FAILURES_WAITING_MAX) return true
    Atomics.sub(cells, CELL.waitingKeys, 1)
    return false
  }

  #remove(waiting: Waiting): void {
    if (this.#waiting.delete(waiting)) Atomics.sub(this.#counts.cells, CELL.waitingKeys, 1)
  }

  /** One timer for all that wait: it runs for the one that is due first. */
  #wake(inMs: number): void {
    if (this.#isTimed) return
    this.#isTimed = true
    setTimeout(() => this.#sendDue(), inMs).unref()
  }

  #sendDue(): void {
    this.#isTimed = false
    const nowMs = performance.now()
    for (const waiting of this.#waiting) {
      if (waiting.dueMs > nowMs) return this.#wake(waiting.dueMs - nowMs)
      this.#remove(waiting)
      if (!waiting.isAborted) waiting.res.cork(() => this.#answer(waiting.res))
    }
  }
}

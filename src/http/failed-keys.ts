/**
 * Slows down clients that try keys: after some failures from one address within a minute, its further 401s come a second late.
 * Only failures wait. A valid key is answered at once, since many customers may share the address of one proxy.
 */
import type { HttpResponse } from 'uWebSockets.js'
import { KEY_FAILURE_DELAY_MS, KEY_FAILURES_MAX, KEY_FAILURES_WAITING_MAX } from '../limits.ts'
import { MINUTE_MS, monotonicMs } from '../platform/time.ts'
import type { Clients } from './clients.ts'
import { CELL, type ProcessCounts } from './counts.ts'

export class FailedKeys {
  readonly #answer: (res: HttpResponse) => void
  readonly #counts: ProcessCounts
  readonly #clients: Clients

  /**
   * @param answer sends the 401, corked
   * @param counts shared by all threads: failures by address, and answers that wait
   * @param clients says whose failure it is
   */
  constructor(answer: (res: HttpResponse) => void, counts: ProcessCounts, clients: Clients) {
    this.#answer = answer
    this.#counts = counts
    this.#clients = clients
  }

  get waiting(): number {
    return this.#counts.load(CELL.waitingKeys)
  }

  /** Counts a failed key. True when its answer waits and is sent from here; false when the caller answers now. */
  delay(res: HttpResponse): boolean {
    const minute = Math.floor(monotonicMs() / MINUTE_MS)
    const failures = this.#counts.countFailure(this.#clients.network(res), minute)
    if (failures <= KEY_FAILURES_MAX || !this.#reserve()) return false
    const timer = setTimeout(() => {
      this.#release()
      res.cork(() => this.#answer(res))
    }, KEY_FAILURE_DELAY_MS).unref()
    res.onAborted(() => {
      clearTimeout(timer)
      this.#release()
    })
    return true
  }

  #reserve(): boolean {
    if (Atomics.add(this.#counts.cells, CELL.waitingKeys, 1) < KEY_FAILURES_WAITING_MAX) return true
    this.#release()
    return false
  }

  #release(): void {
    Atomics.sub(this.#counts.cells, CELL.waitingKeys, 1)
  }
}

/**
 * Slows down who tries keys: after some failures from one address within a minute, its further 401s come a second late.
 * Only failures wait. A valid key is answered at once, since many customers may share the address of one proxy.
 */
import type { HttpResponse } from 'uWebSockets.js'
import {
  KEY_FAILURE_ADDRESSES_MAX,
  KEY_FAILURE_DELAY_MS,
  KEY_FAILURES_MAX,
  KEY_FAILURES_WAITING_MAX,
} from '../limits.ts'
import { addressKey } from './address.ts'

const MINUTE_MS = 60_000

interface Waiting {
  res: HttpResponse
  dueMs: number
  isAborted: boolean
}

export class FailedKeys {
  readonly #answer: (res: HttpResponse) => void
  /** Failures by address in the present minute. */
  #failures = new Map<string, number>()
  #minute = 0
  /** In the order in which they are due, since all wait equally long. */
  readonly #waiting = new Set<Waiting>()
  #isTimed = false

  readonly #failuresMax: number

  /**
   * @param answer sends the 401, corked
   * @param failuresMax failures of one address in a minute that are answered at once
   */
  constructor(answer: (res: HttpResponse) => void, failuresMax = KEY_FAILURES_MAX) {
    this.#answer = answer
    this.#failuresMax = failuresMax
  }

  /** Answers that wait at this moment. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Counts a failed key. True when its answer waits and is sent from here; false when the caller answers now. */
  delay(res: HttpResponse): boolean {
    if (this.#count(addressKey(res.getRemoteAddress())) <= this.#failuresMax) return false
    if (this.#waiting.size >= KEY_FAILURES_WAITING_MAX) return false
    const waiting: Waiting = { res, dueMs: performance.now() + KEY_FAILURE_DELAY_MS, isAborted: false }
    res.onAborted(() => {
      waiting.isAborted = true
      this.#waiting.delete(waiting)
    })
    this.#waiting.add(waiting)
    this.#wake(KEY_FAILURE_DELAY_MS)
    return true
  }

  /** Failures of the address in this minute, with this one. An address that finds no room in the table is not counted. */
  #count(address: string): number {
    const minute = Math.floor(performance.now() / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#failures = new Map()
    }
    const failures = (this.#failures.get(address) ?? 0) + 1
    if (failures > 1 || this.#failures.size < KEY_FAILURE_ADDRESSES_MAX) this.#failures.set(address, failures)
    return failures
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
      this.#waiting.delete(waiting)
      if (!waiting.isAborted) waiting.res.cork(() => this.#answer(waiting.res))
    }
  }
}

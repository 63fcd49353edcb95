/**
 * Bounds the work of one turn of the event loop. uWebSockets.js answers everything that all connections have ready before the turn
 * ends, and whatever else the thread does waits for that. So batches and searches have a share of each turn. Those that come when
 * it is used up wait for a later turn, in their order.
 *
 * One that came on its connection after another request, in the same read, may not wait (`ReadPositions.mayWait`) and is refused with
 * 503. Look-ups are answered always: each takes some microseconds, and the kernel bounds how many of them one read can bring
 * (`threads/receive-bound.ts`).
 */
import type { HttpResponse } from 'uWebSockets.js'
import { POSTPONED_MAX, TURN_WORK_MS } from '../limits.ts'
import { failBusy } from './busy.ts'
import type { Replies } from './reply.ts'

/**
 * Answers a request with `Replies.now` or `nowIf` when `isNow`, else with `later` or `laterIf`. The body is valid until it returns
 * when `isNow`, and belongs to it otherwise.
 */
export type TurnTask = (res: HttpResponse, body: Uint8Array, isNow: boolean) => void

interface Postponed {
  readonly res: HttpResponse
  readonly body: Uint8Array
  readonly task: TurnTask
  readonly done: () => void
  isAborted: boolean
}

export class TurnWork {
  readonly #replies: Replies
  readonly #turnMs: number
  #waiting: Postponed[] = []
  #spentMs = 0
  #isWatching = false

  /** @param turnMs milliseconds of a turn after which further work waits */
  constructor(replies: Replies, turnMs = TURN_WORK_MS) {
    this.#replies = replies
    this.#turnMs = turnMs
  }

  /** Requests that wait for a later turn. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Runs `task` at once, in a later turn, or not at all: then the request is answered with 503.
   * @param body as a `BodyReceiver` gets it
   */
  run(res: HttpResponse, body: Uint8Array, endpoint: number, task: TurnTask): void {
    if (!this.#isSpent) {
      const startedMs = performance.now()
      task(res, body, true)
      this.#spend(startedMs)
    } else if (this.#waiting.length < POSTPONED_MAX && this.#replies.positions.mayWait) {
      this.#postpone(res, new Uint8Array(body), task)
    } else {
      this.#replies.now(res, () => failBusy(this.#replies, performance.now()), body, endpoint)
    }
  }

  /** Who waits goes first. */
  get #isSpent(): boolean {
    return this.#waiting.length > 0 || this.#spentMs > this.#turnMs
  }

  #postpone(res: HttpResponse, body: Uint8Array, task: TurnTask): void {
    const answered = new Promise<void>(resolve => {
      const postponed: Postponed = { res, body, task, done: resolve, isAborted: false }
      res.onAborted(() => {
        postponed.isAborted = true
      })
      this.#waiting.push(postponed)
    })
    this.#replies.await(answered)
    this.#watch()
  }

  #spend(startedMs: number): void {
    this.#spentMs += performance.now() - startedMs
    this.#watch()
  }

  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    setImmediate(this.#endTurn)
  }

  /** The turn that ends gives those that wait what is left of it, and at least one of them its turn. */
  readonly #endTurn = (): void => {
    this.#isWatching = false
    const waiting = this.#waiting
    let count = 0
    do {
      const next = waiting[count]
      if (next === undefined) break
      count++
      if (!next.isAborted) {
        const startedMs = performance.now()
        // Nobody is charged for an answer that cannot be delivered.
        next.task(next.res, next.body, false)
        this.#spentMs += performance.now() - startedMs
      }
      next.done()
    } while (this.#spentMs <= this.#turnMs)
    this.#waiting = waiting.slice(count)
    this.#spentMs = 0
    if (this.#waiting.length > 0) this.#watch()
  }
}

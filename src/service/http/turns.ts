/**
 * Bounds the time for requests of one turn of a thread's event loop. uWebSockets.js reads up to 512 KiB of a
 * connection, and calls for all requests in them before it serves another one. It cannot stop in their midst.
 *
 * 1. Requests are answered at once, until the turn has had TURN_REQUESTS of them and TURN_MS_MAX have passed.
 * 2. Then TURN_LATE_REQUESTS of each network are still answered, for up to TURN_LATE_NETWORKS.
 * 3. A further request waits for the end of the turn, when all other connections have been read.
 * 4. If another is pipelined behind a waiting one, uWebSockets.js closes the connection. It is not charged.
 * 5. Answers are corked and sent together. If the connection may close with unsent answers, the next answer
 *    is padded to AT_ONCE_BYTES, which sends them. Without this, a client that pipelines 30 beside 16
 *    connections which pipeline without end loses 16 charged answers in two thirds of all tries.
 */
import type { HttpResponse } from 'uWebSockets.js'
import type { Clients } from '../api/clients.ts'
import type { ThreadCounts } from './counts.ts'

/** Requests answered at once in any turn. Without them, a client that pipelines 80 loses half. */
const TURN_REQUESTS = 64
/** Time for more of them. Without it, 256 busy connections take some 7 percent more CPU for each request. */
const TURN_MS_MAX = 1
/**
 * Further requests of one network (IPv6: one /64) that are answered in a turn that is over. Without them, a
 * client that pipelines 15 beside the same 16 connections loses some in a third of all tries.
 */
const TURN_LATE_REQUESTS = 16
/** Maximum number of networks with such requests: one poll of the sockets may return 1,024 connections. */
const TURN_LATE_NETWORKS = 16

export const NO_BODY = new Uint8Array(0)

export interface Receiver {
  /** @param isPadded true if the answer must send those before it */
  readonly answer: (res: HttpResponse, body: Uint8Array, isPadded: boolean) => void
  /** True if `answer` pads. */
  readonly isPaddable: boolean
}

export class Turns {
  readonly #counts: ThreadCounts
  readonly #clients: Clients
  /** Requests by network since the turn was over. */
  readonly #late = new Map<string, number>()
  readonly #waiting: (() => void)[] = []
  #requests = 0
  #startedMs = 0
  #hasUnsent = false

  constructor(counts: ThreadCounts, clients: Clients) {
    this.#counts = counts
    this.#clients = clients
  }

  /** Answers within the callback of uWebSockets.js, or after this turn. */
  run(res: HttpResponse, body: Uint8Array, { answer, isPaddable }: Receiver): void {
    if (this.#isAtOnce(res)) {
      this.#hasUnsent ||= isPaddable
      res.cork(() => answer(res, body, false))
    } else if (this.#hasUnsent && isPaddable) {
      res.cork(() => answer(res, body, true))
      this.#hasUnsent = false
    } else this.#answerLater(res, body.slice(), answer)
  }

  #isAtOnce(res: HttpResponse): boolean {
    if (this.#requests++ === 0) {
      this.#startedMs = performance.now()
      setImmediate(this.#end)
    }
    if (this.#requests <= TURN_REQUESTS || performance.now() - this.#startedMs <= TURN_MS_MAX) return true
    // A system call, so requests in time are not counted.
    const network = this.#clients.network(res)
    const count = this.#late.get(network) ?? 0
    if (count === TURN_LATE_REQUESTS || (count === 0 && this.#late.size === TURN_LATE_NETWORKS)) return false
    this.#late.set(network, count + 1)
    return true
  }

  #answerLater(res: HttpResponse, body: Uint8Array, answer: Receiver['answer']): void {
    let isAborted = false
    res.onAborted(() => {
      isAborted = true
      this.#counts.countRefusal('pipelined')
    })
    this.#waiting.push(() => {
      if (!isAborted) res.cork(() => answer(res, body, false))
    })
  }

  readonly #end = (): void => {
    this.#requests = 0
    this.#hasUnsent = false
    this.#late.clear()
    for (const answer of this.#waiting.splice(0)) answer()
  }
}

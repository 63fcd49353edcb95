/**
 * Takes back charges whose answers were lost. uWebSockets.js collects the answers to pipelined requests in a buffer and sends
 * it when it has read all of them. When it closes the connection before that, because what follows is not HTTP, the buffer is
 * dropped. The binary for Node.js 20 also closes it on every request line that is split over two packets.
 *
 * Nothing says so, and nothing tells which connection an answer belonged to. But a close in the middle of reading comes
 * right after the last answer, in the same turn of the event loop, and the connection still knows how long the body of its last
 * answer was. All three must fit, so a client that reads its answer and leaves pays for it, and so does one that asks for
 * the connection to be closed.
 *
 * Where the thread has other connections, one of them may have got those answers just before this one was closed, and nothing
 * tells this from a loss: a buffer belongs to a thread. When in doubt, the charge stays: only the loss of the only connection is
 * certain. A proxy in front keeps cut requests away from this server. The bound for each account and minute is for what nobody
 * has thought of.
 */
import type { HttpResponse } from 'uWebSockets.js'
import type { Charge, Meter } from '../accounts/types.ts'
import { TAKEN_BACK_PER_MINUTE_MAX } from '../limits.ts'
import { monotonicMs } from '../platform/monotonic.ts'
import { isRepublished } from './binary.ts'
import { isLastRequest } from './framing.ts'
import type { Counts } from './shared/counts.ts'

/** Bytes of the buffer. An answer that does not fit is sent at once, together with all before it. */
const BUFFER_BYTES = 16 * 1024
/** Head of an answer besides its status and the digits of its length, with the headers that uWebSockets.js adds. */
const HEAD_BYTES = 117
const MINUTE_MS = 60_000

export class Unsent {
  readonly #service: { readonly meter: Meter }
  readonly #connections: { readonly openHere: number }
  readonly #counts: Counts
  /** Charges of one key that may be unsent. Objects are used again. */
  readonly #charges: Charge[] = []
  #count = 0
  /** Bytes of the answers since the first of them. */
  #bytes = 0
  /** Body of the newest answer; 0 while a request has begun and is not answered. */
  #bodyBytes = 0
  #isWatching = false
  #isHolding = false

  /** @param connections how many of this thread are open; a connection that is being closed no longer counts */
  constructor(
    service: { readonly meter: Meter },
    connections: { readonly openHere: number },
    counts: Counts,
  ) {
    this.#service = service
    this.#connections = connections
    this.#counts = counts
  }

  /**
   * Whether a connection that is closed in the middle of reading has lost its answers. Upstream's own binaries speak HTTP/1.0 and
   * close the connection after each answer to it, which has been sent and must be paid for.
   */
  static readonly isCertain = isRepublished()

  /** Queries of this thread whose charges were taken back so far. */
  get takenBack(): number {
    return this.#counts.thread.takenBack
  }

  /** A request has begun on some connection. */
  begun(): void {
    this.#bodyBytes = 0
  }

  /** A request will be answered within the callback of uWebSockets.js, and charged unless it is refused. */
  hold(): void {
    if (this.#isHolding || !this.#mayLose) return
    this.#isHolding = true
    this.#service.meter.hold()
    this.#watch()
  }

  /** An answer was handed to uWebSockets.js within its own callback. `ownBytes` are those of `200 OK` and of headers that few answers have. */
  answered(ownBytes: number, bodyBytes: number): void {
    const { meter } = this.#service
    const { latest } = meter
    if (!this.#mayLose || isLastRequest()) return this.settle()
    this.#bodyBytes = bodyBytes
    this.#watch()
    if (latest !== null && this.#count > 0 && this.#charges[0].key !== latest.key) this.#forget()
    this.#bytes += HEAD_BYTES + ownBytes + digits(bodyBytes) + bodyBytes
    if (latest === null) return
    meter.latest = null
    if (this.#bytes > BUFFER_BYTES) this.#count = 0
    else this.#remember(latest)
  }

  /** Answers so far have been sent, or will be: something else is happening now. */
  settle(): void {
    this.#service.meter.latest = null
    this.#forget()
  }

  /** A connection was closed, by either side. `res` is its last response. */
  closed(res: HttpResponse): void {
    const isWaiting = this.#count > 0 && this.#bytes <= BUFFER_BYTES
    if (isWaiting && this.#connections.openHere === 0 && res.getWriteOffset() === this.#bodyBytes)
      this.#takeBack()
    this.#forget()
  }

  /** With several connections nothing is ever taken back, so a busy server remembers nothing. */
  get #mayLose(): boolean {
    return Unsent.isCertain && this.#connections.openHere === 1
  }

  #remember({ key, usage, queries }: Charge): void {
    const charge = this.#charges[this.#count]
    if (charge === undefined) this.#charges.push({ key, usage, queries })
    else {
      charge.key = key
      charge.usage = usage
      charge.queries = queries
    }
    this.#count++
  }

  #takeBack(): void {
    const { thread, shared } = this.#counts
    const minute = Math.floor(monotonicMs() / MINUTE_MS)
    for (let i = 0; i < this.#count; i++) {
      const charge = this.#charges[i]
      const { queries } = charge
      const account = { high: 0, low: charge.key.account.slot }
      const taken = shared.takenBack.add(account, minute, queries, TAKEN_BACK_PER_MINUTE_MAX)
      if (taken < 0 || taken > TAKEN_BACK_PER_MINUTE_MAX) return
      if (this.#service.meter.takeBack(charge)) thread.takenBack += queries
    }
  }

  #forget(): void {
    this.#count = 0
    this.#bytes = 0
  }

  /** Once a turn of the event loop: what is in the buffer never outlives the turn. */
  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    setImmediate(this.#endTurn)
  }

  readonly #endTurn = (): void => {
    this.#isWatching = false
    if (this.#isHolding) this.#service.meter.release()
    this.#isHolding = false
    this.#forget()
  }
}

/** Decimal digits of a length. */
function digits(length: number): number {
  if (length < 1000) return length < 100 ? (length < 10 ? 1 : 2) : 3
  return length < 10_000 ? 4 : length < 100_000 ? 5 : 6
}

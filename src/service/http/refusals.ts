/** Refuses requests before they reach an endpoint: for their framing, encoding or size. */
import type { HttpResponse } from 'uWebSockets.js'
import { ERRORS, type ErrorCode } from '../errors.ts'
import type { AnswerHeads } from './answer-heads.ts'
import type { Counts } from './counts.ts'
import type { Reason } from './labels.ts'
import { notesOf } from './request-head.ts'

/** Bytes above the send buffer of uWebSockets.js: such an answer is sent at once, with those before it. */
export const AT_ONCE_BYTES = 20_000

export class Refusals {
  readonly #counts: Counts
  readonly #heads: AnswerHeads

  constructor(counts: Counts, heads: AnswerHeads) {
    this.#counts = counts
    this.#heads = heads
  }

  /** Closes a connection with ambiguous framing: two servers could read it differently. */
  framing(res: HttpResponse): void {
    this.#counts.thread.countRefusal('framing')
    res.close()
  }

  /** Refuses a body over its bounds, and closes an unread connection. @param atOnce true to read no more */
  large(res: HttpResponse, isRead: boolean, endpoint: number, atOnce = false): void {
    this.#refuse(res, 'BODY_TOO_LARGE', !isRead, endpoint, 'too_large', atOnce ? AT_ONCE_BYTES : 0)
  }

  /** Refuses an unfinished body whose memory is needed for others, and closes the connection. */
  crowded(res: HttpResponse, endpoint: number): void {
    this.#refuse(res, 'UNAVAILABLE', true, endpoint, 'crowded')
  }

  encoded(res: HttpResponse, endpoint: number): void {
    this.#refuse(res, 'UNSUPPORTED_ENCODING', false, endpoint, 'malformed')
  }

  /** Sends an error that is counted elsewhere. Must be corked. */
  send(res: HttpResponse, code: ErrorCode, closes: boolean, bytesMin = 0): void {
    const { status, text: error } = ERRORS[code]
    const notes = notesOf(res)
    res.writeStatus(this.#heads.ofOther(status, notes, closes || notes?.closes === true))
    res.end(JSON.stringify({ error }).padEnd(bytesMin), closes)
  }

  #refuse(
    res: HttpResponse,
    code: ErrorCode,
    closes: boolean,
    endpoint: number,
    reason: Reason,
    bytesMin = 0,
  ): void {
    const { thread } = this.#counts
    thread.countAnswer(endpoint, ERRORS[code].status)
    thread.countRefusal(reason)
    res.cork(() => this.send(res, code, closes, bytesMin))
  }
}

/** Refuses requests before any endpoint sees them: for their form on the wire, and for the room that they would take. */
import type { HttpResponse } from 'uWebSockets.js'
import { ERRORS, type ErrorCode } from '../errors.ts'
import type { AnswerHeads } from './answer-heads.ts'
import type { Counts } from './counts.ts'
import type { Reason } from './labels.ts'
import { notesOf } from './request-head.ts'

/** Beyond what uWebSockets.js gathers before it sends: such an answer goes out, and closes its connection, at once. */
const AT_ONCE_BYTES = 20_000

export class Refusals {
  readonly #counts: Counts
  readonly #heads: AnswerHeads

  constructor(counts: Counts, heads: AnswerHeads) {
    this.#counts = counts
    this.#heads = heads
  }

  /** Closes a connection whose request two servers could read differently. */
  framing(res: HttpResponse): void {
    this.#counts.thread.refused('framing')
    res.close()
  }

  /** Refuses a body over its bounds. The connection closes unless all was read. @param atOnce true: no piece may be looked at any more */
  large(res: HttpResponse, isRead: boolean, endpoint: number, atOnce = false): void {
    this.#refuse(res, 'BODY_TOO_LARGE', !isRead, endpoint, 'too_large', atOnce ? AT_ONCE_BYTES : 0)
  }

  /** Refuses an unfinished body whose room others need, and closes the connection. */
  crowded(res: HttpResponse, endpoint: number): void {
    this.#refuse(res, 'UNAVAILABLE', true, endpoint, 'crowded')
  }

  encoded(res: HttpResponse, endpoint: number): void {
    this.#refuse(res, 'UNSUPPORTED_ENCODING', false, endpoint, 'malformed')
  }

  /** Sends an error that is counted elsewhere. Called corked. */
  send(res: HttpResponse, code: ErrorCode, closes: boolean, bytesMin = 0): void {
    const [status, error] = ERRORS[code]
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
    thread.answered(endpoint, ERRORS[code][0])
    thread.refused(reason)
    res.cork(() => this.send(res, code, closes, bytesMin))
  }
}

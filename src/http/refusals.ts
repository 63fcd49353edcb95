/** Refuses requests before any endpoint sees them: for what they look like on the wire, and for the room that they would take. */
import type { HttpResponse } from 'uWebSockets.js'
import { ERRORS, type ErrorCode } from '../errors.ts'
import type { AnswerHeaders } from './answer-headers.ts'
import { REASON } from './counted.ts'
import { wantsPacked } from './packed.ts'
import { notesOf } from './request-notes.ts'
import { sendError } from './send.ts'
import type { Counts } from './shared/counts.ts'

export class Refusals {
  readonly #counts: Counts
  readonly #headers: AnswerHeaders

  constructor(counts: Counts, headers: AnswerHeaders) {
    this.#counts = counts
    this.#headers = headers
  }

  /** Closes a connection whose request two servers could read differently. */
  framing(res: HttpResponse): void {
    this.#counts.thread.refused(REASON.framing)
    res.close()
  }

  /** Refuses a body over its bounds. Closes the connection unless all of it has been read: what came next would be more of it. */
  large(res: HttpResponse, isRead: boolean, endpoint: number): void {
    this.#refuse(res, 'BODY_TOO_LARGE', !isRead, endpoint, REASON.too_large)
  }

  /** Refuses an unfinished body whose room others need, and closes the connection. */
  crowded(res: HttpResponse, endpoint: number): void {
    this.#refuse(res, 'UNAVAILABLE', true, endpoint, REASON.crowded)
  }

  /** Sends an error that is counted elsewhere. Called corked. */
  send(res: HttpResponse, code: ErrorCode, closes: boolean): void {
    sendError(res, code, this.#headers.ofOther(ERRORS[code][0], notesOf(res), wantsPacked(res)), closes)
  }

  #refuse(res: HttpResponse, code: ErrorCode, closes: boolean, endpoint: number, reason: number): void {
    const { thread } = this.#counts
    thread.answered(endpoint, ERRORS[code][0])
    thread.refused(reason)
    res.cork(() => this.send(res, code, closes))
  }
}

/** Handles requests on the thread's single `ApiRequest`, sends the answers, and counts them. */
import type { HttpResponse } from 'uWebSockets.js'
import type { BodyHandler } from '../api/body-handler.ts'
import type { Clients } from '../api/clients.ts'
import { refuse } from '../api/refuse.ts'
import type { ApiRequest } from '../api/request.ts'
import type { ActivityWriter } from './activity/activity-writer.ts'
import type { AnswerHeads } from './answer-heads.ts'
import type { Counts } from './counts.ts'
import { AT_ONCE_BYTES, type EarlyRefusals, earlyRefusalsOf } from './early-refusals.ts'
import { countTime } from './histogram.ts'
import { ENDPOINT_BY_NUMBER, refusalReasonOf } from './labels.ts'
import { newRequestId } from './request-head.ts'
import type { RequestTracer } from './tracing.ts'
import { NO_BODY, type Receiver, Turns } from './turns.ts'

/** Reports an unexpected error. The client sees only its id. */
export type ReportError = (error: unknown, id: string) => void

export interface FixedReply {
  status: number
  /** A document, or an object for JSON. */
  body: Buffer | object
  headers?: Readonly<Record<string, string>>
}

/** Heads of answers, request log and traces, as the settings want them. */
export interface Observers {
  readonly heads: AnswerHeads
  readonly activity?: ActivityWriter
  readonly tracer?: RequestTracer
}

interface RepliesParts {
  request: ApiRequest
  report: ReportError
  counts: Counts
  observers: Observers
  clients: Clients
}

/** Bytes of the largest answer that uWebSockets.js copies as a whole. */
const COPIED_BYTES_MAX = 4096

export class Replies {
  readonly refusals: EarlyRefusals
  readonly turns: Turns
  readonly #request: ApiRequest
  readonly #parts: RepliesParts
  readonly #inProgress = new Set<Promise<void>>()

  constructor(parts: RepliesParts) {
    const { request, counts, observers, clients } = parts
    this.#request = request
    this.#parts = parts
    this.refusals = earlyRefusalsOf(counts, observers.heads, clients)
    this.turns = new Turns(counts.thread, clients)
  }

  /** Returns a function that answers each body by `handle`. */
  answerWith(endpointNumber: number, handle: BodyHandler): Receiver['answer'] {
    return (res, body, isPadded) => this.#answer(res, endpointNumber, handle, body, isPadded)
  }

  /** Answers within the callback of uWebSockets.js that brought the body, or later after a worker. */
  #answer(
    res: HttpResponse,
    endpointNumber: number,
    handle: BodyHandler,
    body: Uint8Array,
    isPadded = false,
  ): void {
    this.#request.connection = res
    try {
      const later = handle(body)
      if (later !== undefined) return this.#answerAfter(res, endpointNumber, later)
    } catch (error) {
      // An error in uWebSockets.js would end the process.
      this.#failInternal(res, error)
    }
    this.#send(res, endpointNumber, isPadded)
  }

  #failInternal(res: HttpResponse, error: unknown): void {
    const id = res.notes?.id ?? newRequestId()
    this.#parts.report(error, id)
    res.notes = { ...res.notes, id }
    this.#request.begin(performance.now())
    refuse(this.#request, 'INTERNAL')
  }

  /** Answers after a worker or a lease, unless the client has gone: an undelivered answer is not charged. */
  #answerAfter(res: HttpResponse, endpointNumber: number, later: Promise<BodyHandler>): void {
    let isAborted = false
    res.onAborted(() => {
      isAborted = true
    })
    const answered = later.then(handle => {
      if (!isAborted) res.cork(() => this.#answer(res, endpointNumber, handle, NO_BODY))
    })
    // Lets a shutdown wait for it.
    const added = answered.finally(() => this.#inProgress.delete(added))
    this.#inProgress.add(added)
  }

  async finished(): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.all(this.#inProgress)
  }

  /** Answers with a fixed body. @param isHead true for HEAD, whose answer has no body */
  answerFixed(
    res: HttpResponse,
    reply: FixedReply,
    isHead: boolean,
    endpointNumber: number,
    isPadded: boolean,
  ): void {
    const { status, body, headers = {} } = reply
    const { thread } = this.#parts.counts
    thread.countAnswer(endpointNumber, status)
    if (status === 404) thread.countRefusal('unknown_path')
    else if (status === 405) thread.countRefusal('method')
    res.writeStatus(this.#parts.observers.heads.ofOther(status, res.notes))
    for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value)
    const isDocument = Buffer.isBuffer(body)
    const sent = isDocument ? body : JSON.stringify(body).padEnd(isPadded ? AT_ONCE_BYTES : 0)
    // `endWithoutBody(length)` would leave the request open.
    if (isHead) res.writeHeader('Content-Length', String(Buffer.byteLength(sent))).endWithoutBody()
    // Slow readers share the buffer of a document.
    else if (isDocument) sendParts(res, body, true)
    else res.end(sent)
  }

  /** Sends the answer, then counts, logs and traces it. */
  #send(res: HttpResponse, endpointNumber: number, isPadded: boolean): void {
    const request = this.#request
    const { activity, tracer } = this.#parts.observers
    const { notes } = res
    const logged = activity?.note(request, endpointNumber, notes?.id ?? null)
    const isDelayed = request.status === 401 && this.refusals.delayFailedKey(res)
    if (!isDelayed) this.#write(res, endpointNumber, isPadded)
    // Sending a large answer takes longer than making it.
    if (request.endedMs === 0) request.endedMs = performance.now()
    this.#count(endpointNumber)
    if (logged !== undefined) logged.durationMicros = Math.round((request.endedMs - request.startedMs) * 1000)
    if (tracer !== undefined) tracer(request, endpointNumber, notes)
  }

  #write(res: HttpResponse, endpointNumber: number, isPadded: boolean): void {
    const { status, key, retryAfter, body } = this.#request
    // Free endpoints, malformed requests and refusals by rules are not counted against limits.
    const isLimited =
      ENDPOINT_BY_NUMBER[endpointNumber]?.usageClass !== null && status !== 400 && status !== 403
    const limited = isLimited ? key?.limited : undefined
    res.writeStatus(this.#parts.observers.heads.of(this.#request, res.notes, limited))
    if (retryAfter > 0) res.writeHeader('Retry-After', String(retryAfter))
    if (isPadded) res.end(padded(body))
    else if (body.length <= COPIED_BYTES_MAX) res.end(body)
    else if (typeof body === 'string') sendParts(res, Buffer.from(body), true)
    else sendParts(res, body, false)
  }

  #count(endpointNumber: number): void {
    const { status, endedMs, startedMs, retryAfter, reachedLimit, shortfall } = this.#request
    const { thread } = this.#parts.counts
    thread.countAnswer(endpointNumber, status)
    countTime(thread.times[endpointNumber], (endedMs - startedMs) * 1000)
    // A request without its lease also has `retryAfter`.
    const isBusy = retryAfter > 0 && shortfall === null
    if (status !== 200) thread.countRefusal(refusalReasonOf(status, reachedLimit !== null, isBusy))
  }
}

function padded(body: string | Uint8Array): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  return text.padEnd(AT_ONCE_BYTES)
}

/** Sends `body` as fast as the socket takes it. @param isLasting true if `body` stays unchanged */
function sendParts(res: HttpResponse, body: Uint8Array, isLasting: boolean): void {
  const { length } = body
  const [, isSent] = res.tryEnd(body, length)
  if (isSent) return
  const sent = res.getWriteOffset()
  const rest = isLasting ? body.subarray(sent) : body.slice(sent)
  res.onAborted(ignoreAbort)
  res.onWritable(offset => res.tryEnd(rest.subarray(offset - sent), length)[1])
}

/** Does nothing: work that ends within the callback need not be undone. */
export function ignoreAbort(): void {}

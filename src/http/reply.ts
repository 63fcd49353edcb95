/** Sends responses. */
import type { HttpResponse } from 'uWebSockets.js'
import { randomUUID } from 'node:crypto'
import { fail } from '../api/response/respond.ts'
import type { ApiRequest } from '../api/service.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { FailedKeys } from './failed-keys.ts'
import { packedAnswer, wantsPacked } from './packed.ts'
import type { Counts } from './shared/counts.ts'
import { Unsent } from './unsent.ts'

/** Status lines of every status that the service answers with. */
const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  402: '402 Payment Required',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  413: '413 Content Too Large',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
}

// As bytes, because uWebSockets.js transcodes a string each time it is given one.
const CONTENT_TYPE = Buffer.from('Content-Type')
const JSON_TYPE = Buffer.from('application/json')
const PACKED_TYPE = Buffer.from('application/msgpack')

/** Reports an unexpected error; the id is all that a client could learn of it. */
export type ReportError = (error: unknown, id: string) => void

/** Runs `work` on `body`, which fills the request's registers, and sends what it made. */
export type Reply = (res: HttpResponse, work: (body: Uint8Array) => void, body: Uint8Array) => void

/** A small response that is the same for every request. */
export interface FixedReply {
  status: number
  body: unknown
  headers?: Readonly<Record<string, string>>
}

/** Runs the work of requests on the one set of registers, and sends what it made. */
export class Replies {
  readonly request: ApiRequest
  readonly unsent: Unsent
  readonly failedKeys: FailedKeys
  readonly #report: ReportError
  readonly #counts: Counts
  readonly #inProgress = new Set<Promise<void>>()

  /** @param keyFailuresMax failed keys of one address in a minute whose answers are not late */
  constructor(
    request: ApiRequest,
    connections: { readonly openHere: number },
    report: ReportError,
    counts: Counts,
    keyFailuresMax?: number,
  ) {
    this.failedKeys = new FailedKeys(
      res => sendError(res, 'INVALID_API_KEY', false),
      counts.shared,
      keyFailuresMax,
    )
    this.request = request
    this.unsent = new Unsent(request.service, connections, counts)
    this.#report = report
    this.#counts = counts
  }

  /** Within the callback of uWebSockets.js that brought the body. */
  readonly now: Reply = (res, work, body) => {
    this.#run(work, body)
    this.#sendNow(res)
  }

  /** At any other time. Corked here; when this returns, the answer has been handed to the socket. */
  readonly later: Reply = (res, work, body) => {
    res.cork(() => {
      this.#run(work, body)
      this.#send(res)
    })
    this.unsent.settle()
  }

  /** As `later`, for work that may leave the answer to a worker: see `nowIf`. */
  laterIf(res: HttpResponse, work: (body: Uint8Array) => boolean, body: Uint8Array): boolean {
    let isAnswered = true
    res.cork(() => {
      isAnswered = this.#runIf(work, body)
      if (isAnswered) this.#send(res)
    })
    if (isAnswered) this.unsent.settle()
    return isAnswered
  }

  /** Follows `work`, which answers with `later` and never rejects. */
  await(work: Promise<void>): void {
    const followed = work.finally(() => this.#inProgress.delete(followed))
    this.#inProgress.add(followed)
  }

  /** Resolves when all work in progress has been answered. */
  async finished(): Promise<void> {
    await Promise.all(this.#inProgress)
  }

  /** A document that is the same for every request, and may be larger than what the socket takes at once. */
  document(res: HttpResponse, body: Uint8Array): void {
    res.writeHeader(CONTENT_TYPE, JSON_TYPE)
    const bodyBytes = sendLarge(res, body)
    if (bodyBytes >= 0) this.unsent.answered(STATUS_LINES[200].length, bodyBytes)
    else this.unsent.settle()
  }

  /** @param isHead whether the method is HEAD, whose answer must have no body or the next one is misread */
  fixed(res: HttpResponse, reply: FixedReply, isHead: boolean): void {
    this.#counts.thread.answered(reply.status)
    this.unsent.answered(STATUS_LINES[reply.status].length, sendFixed(res, reply, isHead))
  }

  /**
   * As `now`, for work that may leave the answer to a worker.
   * @param work returns whether the registers hold the answer
   * @returns whether the request has been answered
   */
  nowIf(res: HttpResponse, work: (body: Uint8Array) => boolean, body: Uint8Array): boolean {
    const isAnswered = this.#runIf(work, body)
    if (isAnswered) this.#sendNow(res)
    return isAnswered
  }

  #runIf(work: (body: Uint8Array) => boolean, body: Uint8Array): boolean {
    // An error of the work is an answer as well.
    let isAnswered = true
    this.#run(bytes => {
      isAnswered = work(bytes)
    }, body)
    return isAnswered
  }

  #sendNow(res: HttpResponse): void {
    const bodyBytes = this.#send(res)
    const { status } = this.request
    if (bodyBytes >= 0) this.unsent.answered(STATUS_LINES[status].length, bodyBytes)
    // The first part of a large answer has taken with it all that was waiting before it.
    else if (status !== 401) this.unsent.settle()
  }

  /** Bytes of the body, or -1 when it is sent later: because a key failed, or because its reader is slow. */
  #send(res: HttpResponse): number {
    const { request } = this
    this.#counts.thread.answered(request.status)
    if (request.status === 401 && this.failedKeys.delay(res)) return -1
    return send(res, request)
  }

  #run(work: (body: Uint8Array) => void, body: Uint8Array): void {
    try {
      work(body)
    } catch (error) {
      // An error that reached uWebSockets.js would end the process.
      this.#report(error, randomUUID())
      const { meter } = this.request.service
      if (meter.latest !== null) meter.takeBack(meter.latest)
      meter.latest = null
      this.request.begin(performance.now())
      fail(this.request, 'INTERNAL')
    }
  }
}

/** Sends what `request` holds, corked or within the handler that uWebSockets.js called. Bytes of the body, or -1. */
function send(res: HttpResponse, request: ApiRequest): number {
  const { large, retryAfter, status } = request
  if (status !== 200) res.writeStatus(STATUS_LINES[status])
  const isPacked = wantsPacked(res)
  res.writeHeader(CONTENT_TYPE, isPacked ? PACKED_TYPE : JSON_TYPE)
  if (retryAfter > 0) res.writeHeader('Retry-After', String(retryAfter))
  if (request.isPacked) return sendLarge(res, large as Uint8Array)
  if (isPacked) {
    const json = large.length === 0 ? request.output.view() : large
    return sendLarge(res, packedAnswer(typeof json === 'string' ? Buffer.from(json) : json))
  }
  if (large.length > 0) return sendLarge(res, typeof large === 'string' ? Buffer.from(large) : large)
  res.end(request.output.view())
  return request.output.length
}

/**
 * Sends a body that may be larger than what the socket takes at once. The rest waits for the reader; another request on this
 * connection ends it meanwhile. So a client that asks and does not read holds one such answer, not as many as it asks for.
 */
function sendLarge(res: HttpResponse, body: Uint8Array): number {
  const [, isSent] = res.tryEnd(body, body.length)
  if (isSent) return body.length
  const sent = res.getWriteOffset()
  // A copy, because whoever made the body uses its buffer again.
  const rest = body.slice(sent)
  res.onAborted(ignoreAbort)
  res.onWritable(offset => res.tryEnd(rest.subarray(offset - sent), body.length)[1])
  return -1
}

/** For routes whose work is done within the callback: nothing is left to undo when their client goes away. */
export function ignoreAbort(): void {}

function sendFixed(res: HttpResponse, { status, body, headers = {} }: FixedReply, isHead: boolean): number {
  if (status !== 200) res.writeStatus(STATUS_LINES[status])
  res.writeHeader(CONTENT_TYPE, JSON_TYPE)
  for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value)
  const text = isHead ? '' : JSON.stringify(body)
  res.end(text)
  return Buffer.byteLength(text)
}

/** Sends an error outside the steps of an endpoint, corked. Closes the connection when the rest of the body is unread. */
function sendError(res: HttpResponse, code: ErrorCode, closes: boolean): void {
  const [status, text] = ERRORS[code]
  const json = Buffer.from(JSON.stringify({ error: text }))
  const isPacked = wantsPacked(res)
  res.writeStatus(STATUS_LINES[status]).writeHeader(CONTENT_TYPE, isPacked ? PACKED_TYPE : JSON_TYPE)
  res.end(isPacked ? packedAnswer(json) : json, closes)
}

/** Refuses a body over its bounds. Closes the connection unless all of it has been read: what came next would be more of it. */
export function refuseLarge(res: HttpResponse, isRead: boolean): void {
  res.cork(() => sendError(res, 'BODY_TOO_LARGE', !isRead))
}

/** Refuses an unfinished body whose room others need, and closes the connection. */
export function refuseCrowded(res: HttpResponse): void {
  res.cork(() => sendError(res, 'UNAVAILABLE', true))
}

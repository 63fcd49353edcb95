/** Runs the work of requests, sends what it made, and counts it. */
import type { HttpResponse } from 'uWebSockets.js'
import { fail } from '../api/response/respond.ts'
import type { ApiRequest } from '../api/service.ts'
import type { AnswerHeaders } from './answer-headers.ts'
import { Clients } from './clients.ts'
import { isFree, OTHER, REASON, reasonOf } from './counted.ts'
import { FailedKeys } from './failed-keys.ts'
import { LeaseWaits } from './lease-waits.ts'
import type { Observers } from './observers.ts'
import { wantsPacked } from './packed.ts'
import { ownBytes } from './plain-heads.ts'
import type { ReadPositions } from './read-positions.ts'
import { Refusals } from './refusals.ts'
import { newRequestId, notesOf, setRequestId } from './request-notes.ts'
import { type FixedReply, send, sendDocument, sendFixed } from './send.ts'
import type { Counts } from './shared/counts.ts'
import { Unsent } from './unsent.ts'

/** Reports an unexpected error; the id is all that a client could learn of it. */
export type ReportError = (error: unknown, id: string) => void

/** Runs `work` on `body`, which fills the request's registers, and sends what it made as an answer of `endpoint`. */
export type Reply = (
  res: HttpResponse,
  work: (body: Uint8Array) => void,
  body: Uint8Array,
  endpoint: number,
) => void

/** What `Replies` needs. */
export interface RepliesParts {
  request: ApiRequest
  connections: { readonly openHere: number }
  report: ReportError
  counts: Counts
  observers: Observers
  positions: ReadPositions
  /** Without it, every client is who is connected. */
  clients?: Clients
  /** Failed keys of one address in a minute whose answers are not late. */
  keyFailuresMax?: number
}

/** Runs the work of requests on the one set of registers, and sends what it made. */
export class Replies {
  readonly request: ApiRequest
  readonly unsent: Unsent
  readonly refusals: Refusals
  readonly failedKeys: FailedKeys
  readonly positions: ReadPositions
  readonly #report: ReportError
  readonly #counts: Counts
  readonly #headers: AnswerHeaders
  readonly #observers: Observers
  readonly #leases: LeaseWaits
  readonly #clients: Clients
  readonly #inProgress = new Set<Promise<void>>()
  /** The response of the request that is being answered, while its work runs. */
  #res: HttpResponse | undefined

  constructor({ request, connections, report, counts, observers, positions, ...parts }: RepliesParts) {
    const { clients = new Clients(), keyFailuresMax } = parts
    this.#clients = clients
    this.refusals = new Refusals(counts, observers.headers)
    this.failedKeys = new FailedKeys(
      res => this.refusals.send(res, 'INVALID_API_KEY', false),
      counts.shared,
      clients,
      positions,
      keyFailuresMax,
    )
    this.request = request
    request.client = { address: () => this.#address() }
    this.unsent = new Unsent(request.service, connections, counts)
    this.#leases = new LeaseWaits(request.service.meter)
    this.#report = report
    this.#counts = counts
    this.#observers = observers
    this.positions = positions
    this.#headers = observers.headers
  }

  /** Within the callback of uWebSockets.js that brought the body. */
  readonly now: Reply = (res, work, body, endpoint) => {
    this.unsent.hold()
    this.#run(res, work, body)
    if (this.request.wanted !== null && this.#holdNow(res, body, kept => this.now(res, work, kept, endpoint)))
      return
    this.#sendNow(res, endpoint)
  }

  /**
   * At any other time. Corked here; when this returns, the answer has been handed to the socket, unless it returns a promise:
   * that resolves when it has. `body` must stay as it is until then.
   */
  readonly later = (
    res: HttpResponse,
    work: (body: Uint8Array) => void,
    body: Uint8Array,
    endpoint: number,
  ): Promise<void> | undefined => {
    let held: Promise<void> | null = null
    this.positions.later()
    res.cork(() => {
      this.#run(res, work, body)
      const { wanted } = this.request
      if (wanted !== null)
        held = this.#leases.hold(res, wanted, body.length, () => this.later(res, work, body, endpoint))
      if (held === null) this.#send(res, endpoint)
    })
    if (held !== null) {
      this.await(held)
      return held
    }
    this.unsent.settle()
    return undefined
  }

  /** Keeps a request until the node has leased more, and then has `again` answer it with a copy of its body. False: it is not kept. */
  #holdNow(res: HttpResponse, body: Uint8Array, again: (body: Uint8Array) => void): boolean {
    const { wanted } = this.request
    if (wanted === null || !this.positions.mayWait) return false
    const kept = new Uint8Array(body)
    const held = this.#leases.hold(res, wanted, kept.length, () => {
      this.positions.later()
      res.cork(() => again(kept))
      this.unsent.settle()
      return undefined
    })
    if (held !== null) this.await(held)
    return held !== null
  }

  /** As `later`, for work that may leave the answer to a worker: see `nowIf`. A promise is that of a request that is kept. */
  laterIf(
    res: HttpResponse,
    work: (body: Uint8Array) => boolean,
    body: Uint8Array,
    endpoint: number,
    again: () => Promise<void>,
  ): boolean | Promise<void> {
    let outcome: boolean | Promise<void> = true
    this.positions.later()
    res.cork(() => {
      outcome = this.#runIf(res, work, body)
      const { wanted } = this.request
      if (wanted !== null) outcome = this.#leases.hold(res, wanted, body.length, again) ?? true
      if (outcome === true) this.#send(res, endpoint)
    })
    if (outcome === true) this.unsent.settle()
    return outcome
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
    const head = this.#headers.ofOther(200, notesOf(res), false)
    this.#counts.thread.answered(OTHER, 200)
    const bodyBytes = sendDocument(res, body, head)
    if (bodyBytes >= 0) this.#unsent(head, bodyBytes)
    else this.unsent.settle()
  }

  /**
   * @param isHead whether the method is HEAD
   * @param endpoint that the request was meant for
   */
  fixed(res: HttpResponse, reply: FixedReply, isHead: boolean, endpoint: number): void {
    const { status } = reply
    const head = this.#headers.ofOther(status, notesOf(res), false)
    this.#counts.thread.answered(endpoint, status)
    if (status === 404) this.#counts.thread.refused(REASON.unknown_path)
    else if (status === 405) this.#counts.thread.refused(REASON.method)
    this.#unsent(head, sendFixed(res, reply, head, isHead))
  }

  /**
   * As `now`, for work that may leave the answer to a worker.
   * @param work returns whether the registers hold the answer
   * @param again does everything once more with a copy of `body`, in a later turn
   * @returns whether the request has been answered, or is kept until it can be
   */
  nowIf(
    res: HttpResponse,
    work: (body: Uint8Array) => boolean,
    body: Uint8Array,
    endpoint: number,
    again: (body: Uint8Array) => void,
  ): boolean {
    this.unsent.hold()
    const isAnswered = this.#runIf(res, work, body)
    if (this.request.wanted !== null && this.#holdNow(res, body, again)) return true
    if (isAnswered) this.#sendNow(res, endpoint)
    return isAnswered
  }

  #runIf(res: HttpResponse, work: (body: Uint8Array) => boolean, body: Uint8Array): boolean {
    // An error of the work is an answer as well.
    let isAnswered = true
    const ask = (bytes: Uint8Array) => {
      isAnswered = work(bytes)
    }
    this.#run(res, ask, body)
    return isAnswered
  }

  #sendNow(res: HttpResponse, endpoint: number): void {
    const bodyBytes = this.#send(res, endpoint)
    if (bodyBytes >= 0) return
    // The first part of a large answer has taken with it all that was waiting before it.
    if (this.request.status !== 401) this.unsent.settle()
  }

  /** Bytes of the body, or -1 when it is sent later: because a key failed, or because its reader is slow. */
  #send(res: HttpResponse, endpoint: number): number {
    const { request } = this
    const notes = notesOf(res)
    const isPacked = wantsPacked(res)
    const isDelayed = request.status === 401 && this.failedKeys.delay(res)
    let bodyBytes = -1
    if (!isDelayed) {
      // What the rules of a key refuse is not counted against limits.
      const isCounted = !isFree(endpoint) && request.status !== 403
      const limited = isCounted ? request.key?.limited : undefined
      const head = this.#headers.of(request, notes, isPacked, limited)
      bodyBytes = send(res, request, head, isPacked)
      if (bodyBytes >= 0) this.#unsent(head, bodyBytes)
    }
    // Handing such an answer over takes longer than writing it.
    if (isPacked || request.large.length > 0 || request.endedMs === 0) request.endedMs = performance.now()
    this.#count(endpoint)
    const { activity, tracer } = this.#observers
    if (activity !== undefined) activity.answered(request, endpoint)
    if (tracer !== undefined) tracer.answered(request, endpoint, notes)
    return bodyBytes
  }

  #count(endpoint: number): void {
    const { status, endedMs, startedMs, retryAfter, isCapped } = this.request
    const { thread } = this.#counts
    thread.answered(endpoint, status)
    thread.took(endpoint, (endedMs - startedMs) * 1000)
    if (status !== 200) thread.refused(reasonOf(status, isCapped, retryAfter > 0))
  }

  #unsent(head: Uint8Array, bodyBytes: number): void {
    this.unsent.answered(ownBytes(head), bodyBytes)
  }

  #address(): Int32Array | null {
    return this.#res === undefined ? null : this.#clients.address(this.#res)
  }

  #run(res: HttpResponse, work: (body: Uint8Array) => void, body: Uint8Array): void {
    this.#res = res
    try {
      work(body)
    } catch (error) {
      // An error that reached uWebSockets.js would end the process.
      const id = notesOf(res)?.id ?? newRequestId()
      this.#report(error, id)
      // The answer names what the log has.
      setRequestId(res, id)
      const { meter } = this.request.service
      if (meter.latest !== null) meter.takeBack(meter.latest)
      meter.latest = null
      this.request.begin(performance.now())
      fail(this.request, 'INTERNAL')
    }
  }
}

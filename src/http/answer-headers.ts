/**
 * The head of an answer: its status line and its headers, but for its length. All of it is laid out in one buffer, because each
 * header of its own would cost another call into native code. Nothing that a client has sent gets in without a check of its
 * characters. With everything off, the head is a constant.
 */
import type { Limited } from '../accounts/types.ts'
import type { ApiRequest } from '../api/service.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import type { AnswerHeader } from '../settings/answer-headers.ts'
import { plainHead } from './plain-heads.ts'
import { PreparedHeaders } from './prepared-headers.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'
import { newRequestId, type RequestNotes } from './request-notes.ts'

/** Room for a whole head: the longest id and the longest limits leave some hundred bytes. */
const BYTES_MAX = 1024
const DIGIT_ZERO = 0x30
const POINT = 0x2e

const REQUEST_ID = '\r\nX-Request-Id: '
const INDEX_BUILD = '\r\nX-Index-Build: '
const SERVER_TIMING = '\r\nServer-Timing: auth;dur='
const TIMING_LIMIT = ', limit;dur='
const TIMING_DATA = ', data;dur='
const TIMING_TOTAL = ', total;dur='

export class AnswerHeaders {
  readonly #hasId: boolean
  readonly #hasTiming: boolean
  readonly #hasBuild: boolean
  readonly #isOn: boolean
  readonly #always: readonly AnswerHeader[]
  /** By status, for answers from one index. */
  readonly #prepared = new Map<number, PreparedHeaders>()
  #preparedIndex: PostalIndex | undefined
  readonly #bytes = Buffer.alloc(BYTES_MAX)
  /** Views of the first so many bytes, made once each. */
  readonly #views: Buffer[] = []
  #length = 0

  /** @param always headers that every answer has */
  constructor(always: readonly AnswerHeader[]) {
    this.#hasId = always.includes('request-id')
    this.#hasTiming = always.includes('server-timing')
    this.#hasBuild = always.includes('index-build')
    this.#isOn = always.length > 0
    this.#always = always
  }

  /**
   * The head of the answer that `request` holds, valid until the next call.
   * @param limited the limits that have just been counted
   */
  of(
    request: ApiRequest,
    notes: RequestNotes | undefined,
    isPacked: boolean,
    limited: Limited | undefined,
  ): Buffer {
    const plain = plainHead(request.status, isPacked)
    const limits = limited === undefined ? null : limited.limits
    const isAsked = notes !== undefined && (notes.id !== undefined || notes.wantsBuild)
    if (!this.#isOn && !isAsked && limits === null) return plain
    if (this.#hasTiming && request.endedMs === 0) request.endedMs = performance.now()
    if (!isPacked && !isAsked && limits === null) {
      const prepared = this.#preparedFor(request, plain).of(request)
      if (prepared !== undefined) return prepared
    }
    this.#begin(plain, notes)
    if (this.#hasBuild || notes?.wantsBuild === true) this.#build(request.service.index)
    if (this.#hasTiming) this.#timing(request)
    if (limited !== undefined && limits !== null) this.#put(rateLimitHeaders(limits, limited, Date.now()))
    return this.#view()
  }

  /** The same for an answer that no endpoint has made: only its status and its id are known. */
  ofOther(status: number, notes: RequestNotes | undefined, isPacked: boolean): Buffer {
    const plain = plainHead(status, isPacked)
    if (!this.#hasId && notes?.id === undefined) return plain
    this.#begin(plain, notes)
    return this.#view()
  }

  #preparedFor({ service: { index }, status }: ApiRequest, plain: Buffer): PreparedHeaders {
    if (this.#preparedIndex !== index) {
      this.#prepared.clear()
      this.#preparedIndex = index
    }
    const known = this.#prepared.get(status)
    if (known?.hasIds === true) return known
    const made = new PreparedHeaders(plain, this.#always, index.file.buildId)
    this.#prepared.set(status, made)
    return made
  }

  #begin(plain: Buffer, notes: RequestNotes | undefined): void {
    this.#bytes.set(plain)
    this.#length = plain.length
    const id = notes?.id
    if (id === undefined && !this.#hasId) return
    this.#put(REQUEST_ID)
    this.#put(id ?? newRequestId())
  }

  #build({ file }: PostalIndex): void {
    this.#put(INDEX_BUILD)
    this.#put(file.buildId)
  }

  /** Milliseconds of each step that the request has taken. */
  #timing(request: ApiRequest): void {
    const { startedMs } = request
    const authenticatedMs = request.authenticatedMs || startedMs
    const limitedMs = Math.max(request.limitedMs, authenticatedMs)
    this.#put(SERVER_TIMING)
    this.#millis(authenticatedMs - startedMs)
    this.#put(TIMING_LIMIT)
    this.#millis(limitedMs - authenticatedMs)
    this.#put(TIMING_DATA)
    this.#millis(request.endedMs - limitedMs)
    this.#put(TIMING_TOTAL)
    this.#millis(request.endedMs - startedMs)
  }

  /** With three decimals. */
  #millis(ms: number): void {
    const micros = ms > 0 ? Math.round(ms * 1000) : 0
    const whole = Math.floor(micros / 1000)
    if (whole > 0) this.#put(String(whole))
    else this.#bytes[this.#length++] = DIGIT_ZERO
    const rest = micros - whole * 1000
    const bytes = this.#bytes
    const at = this.#length
    bytes[at] = POINT
    bytes[at + 1] = DIGIT_ZERO + Math.floor(rest / 100)
    bytes[at + 2] = DIGIT_ZERO + (Math.floor(rest / 10) % 10)
    bytes[at + 3] = DIGIT_ZERO + (rest % 10)
    this.#length = at + 4
  }

  /** ASCII. By character: texts this short cost less to copy than a call into native code. */
  #put(text: string): void {
    const bytes = this.#bytes
    const at = this.#length
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i)
    this.#length = at + text.length
  }

  #view(): Buffer {
    const length = this.#length
    let view = this.#views[length]
    if (view === undefined) {
      view = this.#bytes.subarray(0, length)
      this.#views[length] = view
    }
    return view
  }
}

/**
 * Reads the head of a request and detects ambiguous framing. uWebSockets.js accepts several `Content-Length`
 * headers, unknown transfer codings and two `Host` headers, and would execute the rest as a second request.
 * Behind a proxy that is request smuggling (RFC 9112, sections 6.3 and 11.2).
 */

import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { randomBytes } from 'node:crypto'
import type { ClientHeaders } from '../api/clients.ts'
import { REQUEST_ID } from '../limits.ts'

/** Rare headers. A request without them makes no object. */
export interface RequestNotes extends ClientHeaders {
  /** Id of the client, or a new one in place of a malformed one. */
  id?: string
  traceparent?: string
  origin?: string
  wantsBuild?: boolean
  isEncoded?: boolean
  /** True if the client closes the connection after this answer. */
  closes?: boolean
}

declare module 'uWebSockets.js' {
  interface HttpResponse {
    notes?: RequestNotes
  }
}

/** Headers that only some settings need. */
interface NotedHeaders {
  /** Header of trusted proxies; undefined if none is trusted. */
  proxyHeader: string | undefined
  traceparent: boolean
  origin: boolean
  /** True if every request gets an id. */
  givesId: boolean
}

const CLOSE = /(^|,)\s*close\s*(,|$)/i
const LENGTH_DIGITS = /^\d{1,15}$/
const BEARER = /^bearer +([^ ]+)$/i

/** Reads heads. One object for each app, so that a request makes no closure. */
export class RequestHead {
  readonly #noted: NotedHeaders
  #lengths = 0
  #hosts = 0
  #codings = 0
  #isRegular = true
  #notes: RequestNotes | undefined

  constructor(noted: NotedHeaders) {
    this.#noted = noted
  }

  /**
   * Reads a head and stores its rare headers in `res.notes`. Returns true if the framing is unambiguous: at
   * most one of `Content-Length` (digits) and `Transfer-Encoding: chunked`, and at most one `Host`.
   */
  read(req: HttpRequest, res: HttpResponse): boolean {
    this.#lengths = 0
    this.#hosts = 0
    this.#codings = 0
    this.#isRegular = true
    this.#notes = undefined
    req.forEach(this.#inspect)
    if (this.#noted.givesId) this.#note().id ??= newRequestId()
    if (this.#notes !== undefined) res.notes = this.#notes
    return this.#isRegular && this.#lengths + this.#codings <= 1 && this.#hosts <= 1
  }

  /** Notes a header. Comparing each name instead of the length would cost 50 ns more for each. */
  readonly #inspect = (name: string, value: string): void => {
    switch (name.length) {
      case 4:
        if (name === 'host') this.#hosts++
        break
      case 6:
        if (name === 'origin' && this.#noted.origin) this.#note().origin = value
        break
      case 9:
        if (name === 'x-api-key') this.#noteKey(value)
        break
      case 10:
        if (name === 'connection' && CLOSE.test(value)) this.#note().closes = true
        break
      case 11:
        if (name === 'traceparent' && this.#noted.traceparent) this.#note().traceparent = value
        break
      case 12:
        if (name === 'x-request-id') this.#note().id = REQUEST_ID.test(value) ? value : newRequestId()
        break
      case 13:
        if (name === 'authorization') this.#noteKey(BEARER.exec(value)?.[1] ?? '')
        else if (name === 'x-index-build') this.#note().wantsBuild = true
        break
      case 14:
        if (name !== 'content-length') break
        this.#lengths++
        if (!LENGTH_DIGITS.test(value)) this.#isRegular = false
        break
      case 15:
        if (name === this.#noted.proxyHeader) this.#noteForwarded(value)
        break
      case 16:
        if (name === 'content-encoding' && value.toLowerCase() !== 'identity') this.#note().isEncoded = true
        break
      case 17:
        if (name !== 'transfer-encoding') break
        this.#codings++
        if (value.toLowerCase() !== 'chunked') this.#isRegular = false
        break
    }
  }

  #note(): RequestNotes {
    this.#notes ??= {}
    return this.#notes
  }

  #noteKey(key: string): void {
    if (key !== '') this.#note().key ??= key
  }

  #noteForwarded(value: string): void {
    const notes = this.#note()
    notes.forwarded = notes.forwarded === undefined ? value : `${notes.forwarded},${value}`
  }
}

/** Start of the ids of this thread and process. */
const ID_START = `${randomBytes(5).toString('hex')}-`
const ID_RADIX = 36
let idsMade = 0

/** Returns an id that is unique among threads and processes. */
export function newRequestId(): string {
  return ID_START + (idsMade++).toString(ID_RADIX)
}

/**
 * Refuses requests whose framing two servers could read differently. uWebSockets.js accepts several `Content-Length` headers,
 * unknown transfer codings and two `Host` headers, and would execute what follows as a second request: behind a proxy
 * that is request smuggling (RFC 9112, sections 6.3 and 11.2).
 */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { markPacked } from './packed.ts'
import {
  forgetNotes,
  keepNotes,
  noteBuildWanted,
  noteForwarded,
  noteRequestId,
  noteTraceparent,
} from './request-notes.ts'

const LENGTH_DIGITS_MAX = 15
const HEADER_FRAME_BYTES = ': \r\n'.length
/** Of a request line besides its target, and the blank line. */
const FRAME_BYTES = 'POST  HTTP/1.1\r\n\r\n'.length

let lengths = 0
let hosts = 0
let codings = 0
let isRegular = true
let isLast = false
let isBodyPacked = false
let isAnswerPacked = false
let bytes = 0

/** Called for each header; outside `isFramed` so that a request makes no closure. */
function inspect(name: string, value: string): void {
  bytes += name.length + value.length + HEADER_FRAME_BYTES
  switch (name.length) {
    case 4:
      if (name === 'host') hosts++
      break
    case 6:
      if (name === 'accept' && isMsgpack(value)) isAnswerPacked = true
      break
    case 9:
    case 15:
      noteForwarded(name, value)
      break
    case 10:
      // As uWebSockets.js sees it: any value of five letters.
      if (name === 'connection' && value.length === 5) isLast = true
      break
    case 11:
      if (name === 'traceparent') noteTraceparent(value)
      break
    case 12:
      if (name === 'content-type') {
        if (isMsgpack(value)) isBodyPacked = true
      } else if (name === 'x-request-id') noteRequestId(value)
      break
    case 13:
      if (name === 'x-index-build') noteBuildWanted()
      break
    case 14:
      if (name === 'content-length') {
        lengths++
        if (!isDigits(value)) isRegular = false
      }
      break
    case 17:
      if (name === 'transfer-encoding') {
        codings++
        if (value.toLowerCase() !== 'chunked') isRegular = false
      }
      break
  }
}

const MSGPACK_LENGTH_MIN = 'application/msgpack'.length

/**
 * Whether a media type is one of those that MessagePack has: `application/msgpack`, `application/x-msgpack`, with parameters or
 * among others. The length comes first because it is known: `application/json` is shorter, and searching it takes some 20 ns.
 */
function isMsgpack(value: string): boolean {
  return value.length >= MSGPACK_LENGTH_MIN && value.includes('msgpack')
}

/** By character: on texts this short a regular expression costs more to enter than the digits cost to check. */
function isDigits(text: string): boolean {
  const { length } = text
  if (length === 0 || length > LENGTH_DIGITS_MAX) return false
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x30 || unit > 0x39) return false
  }
  return true
}

/** Whether everybody sees the same end of the request: it has at most one `Content-Length`, of digits, or else `chunked` alone, and one `Host`. */
export function isFramed(req: HttpRequest): boolean {
  lengths = 0
  hosts = 0
  codings = 0
  isRegular = true
  isLast = false
  isBodyPacked = false
  isAnswerPacked = false
  bytes = FRAME_BYTES
  forgetNotes()
  req.forEach(inspect)
  return isRegular && lengths + codings <= 1 && hosts <= 1
}

/** Whether the connection is closed after the request that `isFramed` was called for last, because its client asked for that. */
export function isLastRequest(): boolean {
  return isLast
}

/** Counts path and query of that request in `headBytes`. Costs a tenth of a microsecond. */
export function countTarget(req: HttpRequest): void {
  const query = req.getQuery()
  bytes += req.getUrl().length + (query === undefined ? 0 : query.length + 1)
}

/** Bytes before the body of that request, when it is written as nearly all are; without its path and query before `countTarget`. */
export function headBytes(): number {
  return bytes
}

/** Keeps with its response what the request that `isFramed` was called for last has and wants, when that is unusual. */
export function keepUnusual(res: HttpResponse): void {
  if (isBodyPacked || isAnswerPacked) markPacked(res, isBodyPacked, isAnswerPacked)
  keepNotes(res)
}

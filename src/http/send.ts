/**
 * Writes responses to uWebSockets.js. Every function is called corked, or within the handler that brought the body. The head of an
 * answer, of `AnswerHeaders`, goes out as its status, lines and all: each further call into native code, and each buffer that is
 * handed over, costs some 50 ns.
 */
import type { HttpResponse } from 'uWebSockets.js'
import type { ApiRequest } from '../api/service.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { packedAnswer, wantsPacked } from './packed.ts'

/** A small response that is the same for every request. */
export interface FixedReply {
  status: number
  body: unknown
  headers?: Readonly<Record<string, string>>
}

/**
 * Sends what `request` holds. Bytes of the body, or -1 when some of it is sent later.
 * @param isPacked whether the client has asked for MessagePack
 */
export function send(res: HttpResponse, request: ApiRequest, head: Uint8Array, isPacked: boolean): number {
  const { large, retryAfter } = request
  res.writeStatus(head)
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
 * Sends a document that may be larger than what the socket takes at once, and that never changes: whoever asks for it and does not
 * read has not paid for a copy. Bytes of it, or -1 when some of it is sent later.
 */
export function sendDocument(res: HttpResponse, document: Uint8Array, head: Uint8Array): number {
  res.writeStatus(head)
  return sendParts(res, document, sent => document.subarray(sent))
}

/** Sends a body that may be larger than what the socket takes at once. As `sendParts`. */
function sendLarge(res: HttpResponse, body: Uint8Array): number {
  // A copy, because whoever made the body uses its buffer again.
  return sendParts(res, body, sent => body.slice(sent))
}

/**
 * Sends what the socket takes of `body`. The rest waits for the reader; another request on this connection ends it meanwhile. So a
 * client that asks and does not read holds one such answer, not as many as it asks for.
 * @param restAfter the bytes of `body` after so many, which must stay as they are
 */
function sendParts(res: HttpResponse, body: Uint8Array, restAfter: (sent: number) => Uint8Array): number {
  const [, isSent] = res.tryEnd(body, body.length)
  if (isSent) return body.length
  const { length } = body
  const sent = res.getWriteOffset()
  const rest = restAfter(sent)
  res.onAborted(ignoreAbort)
  res.onWritable(offset => res.tryEnd(rest.subarray(offset - sent), length)[1])
  return -1
}

/** For routes whose work is done within the callback: nothing is left to undo when their client goes away. */
export function ignoreAbort(): void {}

/**
 * Bytes of the body.
 * @param isHead whether the method is HEAD, whose answer must have no body or the next one is misread
 */
export function sendFixed(
  res: HttpResponse,
  { body, headers = {} }: FixedReply,
  head: Uint8Array,
  isHead: boolean,
): number {
  res.writeStatus(head)
  for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value)
  const text = isHead ? '' : JSON.stringify(body)
  res.end(text)
  return Buffer.byteLength(text)
}

/** Sends an error outside the steps of an endpoint. */
export function sendError(res: HttpResponse, code: ErrorCode, head: Uint8Array, closes: boolean): void {
  const [, text] = ERRORS[code]
  const json = Buffer.from(JSON.stringify({ error: text }))
  res.writeStatus(head)
  res.end(wantsPacked(res) ? packedAnswer(json) : json, closes)
}

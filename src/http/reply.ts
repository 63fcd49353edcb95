/** Sends responses. */
import type { HttpResponse } from 'uWebSockets.js'
import type { ApiRequest } from '../api/service.ts'
import { ERRORS } from '../errors.ts'

/** Status lines of every status that the service answers with. */
const STATUS_LINES: Readonly<Record<number, string>> = {
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

/** Sends what `request` holds. Must be called corked, or within the handler that uWebSockets.js called. */
export function send(res: HttpResponse, request: ApiRequest): void {
  if (request.status !== 200) res.writeStatus(STATUS_LINES[request.status])
  res.writeHeader(CONTENT_TYPE, JSON_TYPE)
  if (request.retryAfter > 0) res.writeHeader('Retry-After', String(request.retryAfter))
  res.end(request.large.length > 0 ? request.large : request.output.view())
}

/** A small response that is the same for every request. */
export interface FixedReply {
  status: number
  body: unknown
  headers?: Readonly<Record<string, string>>
}

/** @param isHead whether the request's method is HEAD, whose answer must have no body or the next one is misread */
export function sendFixed(
  res: HttpResponse,
  { status, body, headers = {} }: FixedReply,
  isHead: boolean,
): void {
  if (status !== 200) res.writeStatus(STATUS_LINES[status])
  res.writeHeader(CONTENT_TYPE, JSON_TYPE)
  for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value)
  res.end(isHead ? '' : JSON.stringify(body))
}

/** Runs `work` on `body`, which fills the request's registers, and sends what it made. */
export type Reply = (res: HttpResponse, work: (body: Uint8Array) => void, body: Uint8Array) => void

/** Refuses a body over its limit. Closes the connection unless all of it has been read: what came next would be more of it. */
export function refuseLarge(res: HttpResponse, isRead: boolean): void {
  res.cork(() => {
    res.writeStatus(STATUS_LINES[413]).writeHeader(CONTENT_TYPE, JSON_TYPE)
    res.end(JSON.stringify({ error: ERRORS.BODY_TOO_LARGE[1] }), !isRead)
  })
}

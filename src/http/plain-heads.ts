/** Heads of answers that have nothing of their own: a status line and a content type, each made once. */

/** Status lines of every status that the service answers with. */
export const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  402: '402 Payment Required',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  413: '413 Content Too Large',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
}

const TYPE = '\r\nContent-Type: '
const JSON_TYPE = 'application/json'

const JSON_HEADS = headsOf(JSON_TYPE)
const PACKED_HEADS = headsOf('application/msgpack')

/** The head of an answer of `status` without further headers, for `HttpResponse.writeStatus`. */
export function plainHead(status: number, isPacked: boolean): Buffer {
  return (isPacked ? PACKED_HEADS : JSON_HEADS)[status]
}

/** Bytes of `head` besides `Content-Type: application/json`. */
export function ownBytes(head: Uint8Array): number {
  return head.length - TYPE.length - JSON_TYPE.length
}

function headsOf(type: string): Readonly<Record<number, Buffer>> {
  return Object.fromEntries(
    Object.entries(STATUS_LINES).map(([status, line]) => [status, Buffer.from(line + TYPE + type)]),
  )
}

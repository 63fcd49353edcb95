/**
 * Where in a read of its connection a request stood. uWebSockets.js reads every connection of a thread into one buffer, parses the
 * requests there, and hands out views of it as their bodies. So the address of a body tells how many bytes came before it.
 */
import type { HttpRequest } from 'uWebSockets.js'
import { addressOf } from '../platform/libc.ts'
import { HEADER_FRAME_BYTES, headerBytes } from './framing.ts'

/**
 * White space in headers that `headBytes` does not see, the frame of a chunk, and differences between the paths of endpoints. The
 * shortest request that can be charged is twice as long.
 */
const SLACK_BYTES = 48
/** Requests that show where the buffer begins. The first one that is the first of its read is enough. */
const SETTLING_REQUESTS = 32
const REQUEST_LINE_BYTES = 'POST  HTTP/1.1\r\n'.length
const BLANK_LINE_BYTES = 2

export class ReadPositions {
  #start = Number.POSITIVE_INFINITY
  #seen = 0
  #latest: Uint8Array | undefined

  /** Whether it is known where the buffer begins. Until then it wants `headBytes` of every request. */
  get isSettled(): boolean {
    return this.#seen >= SETTLING_REQUESTS
  }

  /** Sees a body as uWebSockets.js has handed it out. @param head bytes of the request before it */
  learn(body: Uint8Array, head: number): void {
    this.#seen++
    if (body.length > 0) this.#start = Math.min(this.#start, addressOf(body) - head)
  }

  /**
   * The body of the request that is answered from now on, as uWebSockets.js has handed it out; undefined: nothing came before it
   * in its read, because it came in several pieces, or is answered in a later turn of the event loop.
   */
  received(body: Uint8Array | undefined): void {
    this.#latest = body
    if (body !== undefined && !this.isSettled) this.learn(body, headerBytes())
  }

  /** Whether no request that could have been charged came before the one that is answered, in its read. */
  get isLatestFirst(): boolean {
    return this.#latest === undefined || this.isFirst(this.#latest, headerBytes())
  }

  /**
   * Whether no request that could have been charged came before this one in its read.
   * @param body as uWebSockets.js has handed it out
   * @param head bytes of the request before it; 0 when they came in an earlier read
   */
  isFirst(body: Uint8Array, head: number): boolean {
    return body.length > 0 && addressOf(body) - this.#start - head <= SLACK_BYTES
  }
}

/** Bytes of a request before its body, when it is written as nearly all are. */
export function headBytes(req: HttpRequest): number {
  const query = req.getQuery()
  const queryBytes = query === undefined ? 0 : query.length + 1
  let bytes = REQUEST_LINE_BYTES + req.getUrl().length + queryBytes + BLANK_LINE_BYTES
  req.forEach((name, value) => {
    bytes += name.length + value.length + HEADER_FRAME_BYTES
  })
  return bytes
}

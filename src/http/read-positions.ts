/**
 * Where in a read of its connection a request stood. uWebSockets.js reads every connection of a thread into one buffer, parses the
 * requests there, and hands out views of it as their bodies. So the address of a body tells how many bytes came before it.
 */
import { addressOf } from '../platform/libc.ts'
import { headBytes } from './framing.ts'

/**
 * What `headBytes` does not see: white space in headers, the path and query of some requests, the frame of a chunk. The shortest
 * request that can be charged is twice as long.
 */
const SLACK_BYTES = 48
/** Requests that show where the buffer begins. The first one that is the first of its read is enough. */
const SETTLING_REQUESTS = 32

export class ReadPositions {
  #start = Number.POSITIVE_INFINITY
  #seen = 0
  /** The body of the request that is answered, or what is known of it. */
  #body: Uint8Array | undefined
  #isFirst = true

  /** A request is answered from now on whose body uWebSockets.js has handed out in one piece, this one. */
  received(body: Uint8Array): void {
    this.#body = body
    if (this.#seen < SETTLING_REQUESTS) this.#learn(body)
  }

  /** The same for a body that came in several pieces. @param isFirst whether `isFirst` was true of any */
  receivedPieces(isFirst: boolean): void {
    this.#body = undefined
    this.#isFirst = isFirst
  }

  /** A request is answered from now on in a later turn of the event loop than that of its read. */
  later(): void {
    this.receivedPieces(true)
  }

  /**
   * Whether the request that is answered may be answered in a later turn of the event loop. One that came after another in the same
   * read may not: should a third follow it there, uWebSockets.js closes the connection, and drops the answers before it, which have
   * been charged.
   */
  get mayWait(): boolean {
    return this.#body === undefined ? this.#isFirst : this.isFirst(this.#body)
  }

  /**
   * Whether no request that could have been charged came before the one that `piece` belongs to, in its read.
   * @param piece of a body as uWebSockets.js has handed it out, not empty. Its head came in the same read and was the latest that
   *   `isFramed` has seen, or in an earlier read: then the piece is where the buffer begins.
   */
  isFirst(piece: Uint8Array): boolean {
    return piece.length > 0 && addressOf(piece) - this.#start - headBytes() <= SLACK_BYTES
  }

  #learn(body: Uint8Array): void {
    this.#seen++
    if (body.length > 0) this.#start = Math.min(this.#start, addressOf(body) - headBytes())
  }
}

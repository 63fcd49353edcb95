/** Reads request bodies within their bounds: bytes, pieces, time, and the bytes of all unfinished bodies together. */
import type { HttpResponse } from 'uWebSockets.js'
import {
  BODIES_BYTES_MAX,
  BODIES_BYTES_PER_THREAD_MIN,
  BODIES_SPARE_BYTES_MAX,
  BODY_DRAIN_BYTES_MAX,
  BODY_MS_MAX,
  BODY_PIECE_BYTES_MIN,
  BODY_PIECES_FREE,
} from '../limits.ts'
import { BodyBuffers, FIRST_BYTES } from './body-buffers.ts'
import { REASON } from './counted.ts'
import { ReadPositions } from './read-positions.ts'
import type { ThreadCounts } from './shared/thread-counts.ts'

/** What happens to the bodies of a route. Made once for each route where it can be, and not for each request. */
export interface BodyReceiver {
  readonly bytesMax: number
  /**
   * Takes a complete body, within uWebSockets.js's own callback. Its bytes are valid only until this returns.
   */
  done(res: HttpResponse, body: Uint8Array): void
  /** Called instead when the body exceeds its bounds; `isRead` says whether all of it has arrived. */
  tooLarge(res: HttpResponse, isRead: boolean): void
  /** Called instead when other bodies need the room. The rest of the body has not been read. */
  crowdedOut(res: HttpResponse): void
}

export interface BodyBounds {
  /** Bytes held for all unfinished bodies. */
  bytesMax: number
  /** Bytes kept for the next bodies. */
  spareBytesMax: number
  /** How long a body may take after its first piece, in milliseconds. */
  bodyMs: number
}

const SWEEP_MS = 1000
const NOTHING = Buffer.alloc(0)

/** A body of which only a part has arrived. */
class OpenBody {
  readonly res: HttpResponse
  readonly receiver: BodyReceiver
  readonly startedMs = performance.now()
  buffer: Buffer = NOTHING
  length = 0
  pieces = 0
  /** Whether no request came before it in the read of its first piece, or it has gone on in a later read. */
  isFirst = false
  /** Bytes of the pieces that are allowed whatever their size. */
  freeBytes = 0

  constructor(res: HttpResponse, receiver: BodyReceiver) {
    this.res = res
    this.receiver = receiver
  }

  /** Whether the pieces are so small that handling them costs more than their bytes. The last one may be any size. */
  get isGround(): boolean {
    const beyond = this.pieces - BODY_PIECES_FREE - 1
    return beyond > 0 && this.length - this.freeBytes < beyond * BODY_PIECE_BYTES_MIN
  }
}

/** Bounds for each of `threads` threads. All of them together hold no more than one would, unless there are more than 32. */
export function bodyBounds(threads: number): BodyBounds {
  return {
    bytesMax: Math.max(BODIES_BYTES_PER_THREAD_MIN, BODIES_BYTES_MAX / threads),
    spareBytesMax: BODIES_SPARE_BYTES_MAX / threads,
    bodyMs: BODY_MS_MAX,
  }
}

/** The unfinished bodies of one app. */
export class BodyReader {
  readonly #bounds: BodyBounds
  readonly #buffers: BodyBuffers
  readonly #counts: ThreadCounts
  readonly #positions: ReadPositions
  /** In the order in which they began. */
  readonly #open = new Set<OpenBody>()
  #sweep: NodeJS.Timeout | undefined

  /**
   * @param counts bytes held for unfinished bodies are counted there
   * @param positions learns of each body
   */
  constructor(counts: ThreadCounts, bounds: BodyBounds = bodyBounds(1), positions = new ReadPositions()) {
    this.#counts = counts
    this.#positions = positions
    this.#bounds = bounds
    this.#buffers = new BodyBuffers(bounds.spareBytesMax)
  }

  /** Bytes held for unfinished bodies at this moment. */
  get heldBytes(): number {
    return this.#counts.heldBytes
  }

  /** Hands the body of the request to `receiver`, or nothing when the client goes away. */
  read(res: HttpResponse, receiver: BodyReceiver): void {
    let body: OpenBody | undefined
    res.onData((chunk, isLast) => {
      if (isLast && body === undefined) {
        // Nearly every body comes in one piece and is never copied.
        if (chunk.byteLength > receiver.bytesMax) receiver.tooLarge(res, true)
        else {
          const bytes = new Uint8Array(chunk)
          this.#positions.received(bytes)
          receiver.done(res, bytes)
        }
        return
      }
      body ??= this.#begin(res, receiver)
      if (this.#open.has(body)) this.#take(body, chunk, isLast)
    })
  }

  #begin(res: HttpResponse, receiver: BodyReceiver): OpenBody {
    const body = new OpenBody(res, receiver)
    this.#open.add(body)
    res.onAborted(() => this.#end(body))
    this.#sweep ??= setInterval(() => this.#endLate(), Math.min(SWEEP_MS, this.#bounds.bodyMs)).unref()
    return body
  }

  #take(body: OpenBody, chunk: ArrayBuffer, isLast: boolean): void {
    const { res, receiver } = body
    // The first piece of a later read is where the buffer begins, like that of a request that nothing came before.
    body.isFirst ||= this.#positions.isFirst(new Uint8Array(chunk))
    body.pieces++
    body.length += chunk.byteLength
    if (body.pieces === BODY_PIECES_FREE) body.freeBytes = body.length
    if (body.isGround && !isLast) {
      this.#end(body)
      return receiver.tooLarge(res, false)
    }
    if (body.length > receiver.bytesMax) return this.#drain(body, isLast)
    if (body.length > body.buffer.length) this.#grow(body)
    // A copy, because uWebSockets.js takes the chunk back when this callback returns.
    body.buffer.set(new Uint8Array(chunk), body.length - chunk.byteLength)
    if (!isLast) return
    const { buffer } = body
    body.buffer = NOTHING
    this.#end(body)
    this.#positions.receivedPieces(body.isFirst)
    receiver.done(res, buffer.subarray(0, body.length))
    this.#release(buffer)
  }

  /**
   * A client reads the answer only after it has sent its body; an answer in the middle of it would be lost with the
   * connection. So the rest is read and dropped, within a bound.
   */
  #drain(body: OpenBody, isLast: boolean): void {
    const { res, receiver } = body
    this.#releaseOf(body)
    if (!isLast && body.length <= receiver.bytesMax + BODY_DRAIN_BYTES_MAX) return
    this.#end(body)
    receiver.tooLarge(res, isLast)
  }

  /** Doubles the buffer. The room comes from the oldest bodies when there is none left: honest ones are soon complete. */
  #grow(body: OpenBody): void {
    let bytes = Math.max(FIRST_BYTES, body.buffer.length * 2)
    while (bytes < body.length) bytes *= 2
    const moreBytes = bytes - body.buffer.length
    for (const other of this.#open) {
      if (this.#counts.heldBytes + moreBytes <= this.#bounds.bytesMax) break
      if (other === body || other.buffer.length === 0) continue
      this.#end(other)
      other.receiver.crowdedOut(other.res)
    }
    const buffer = this.#buffers.take(bytes)
    this.#counts.heldBytes += buffer.length
    buffer.set(body.buffer)
    this.#releaseOf(body)
    body.buffer = buffer
  }

  #end(body: OpenBody): void {
    this.#open.delete(body)
    this.#releaseOf(body)
  }

  #releaseOf(body: OpenBody): void {
    this.#release(body.buffer)
    body.buffer = NOTHING
  }

  #release(buffer: Buffer): void {
    this.#counts.heldBytes -= buffer.length
    this.#buffers.keep(buffer)
  }

  /** Closes the connections of bodies that take too long. */
  #endLate(): void {
    const oldestMs = performance.now() - this.#bounds.bodyMs
    for (const body of this.#open) {
      if (body.startedMs > oldestMs) return
      this.#end(body)
      this.#counts.refused(REASON.slow_body)
      body.res.close()
    }
    // Left running while there are bodies: they come and go far more often than it fires.
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }
}

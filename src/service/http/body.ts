/** Reads request bodies within their bounds: bytes, pieces, time, and bytes of all unfinished bodies. */
import type { HttpResponse } from 'uWebSockets.js'
import { GAUGE, type ThreadCounts } from './counts.ts'
import type { EarlyRefusals } from './early-refusals.ts'
import type { Receiver, Turns } from './turns.ts'

/** Maximum bytes beyond the bound that are read and dropped, so that the client reads its 413. */
export const BODY_DRAIN_BYTES_MAX = 8 * 1024 * 1024
/** Pieces of a body that may have any size. */
const BODY_PIECES_FREE = 1000
/** Average bytes of the further pieces. A body of smaller ones is ended. */
const BODY_PIECE_BYTES_MIN = 64
/** Maximum bytes held for unfinished bodies over all connections. Beyond it the oldest body is ended. */
const BODIES_BYTES_MAX = 64 * 1024 * 1024
/** Minimum share of a server thread: room for one largest body while its buffer doubles. */
const BODIES_BYTES_PER_THREAD_MIN = 2 * 1024 * 1024
const BODY_MS_MAX = 30_000

/** Answers complete bodies, whose bytes are valid until `answer` returns. */
export interface BodyReceiver extends Receiver {
  readonly bytesMax: number
  /** Endpoint number under which refusals are counted. */
  readonly endpointNumber: number
}

export interface BodyBounds {
  /** Bytes that a thread holds for unfinished bodies. */
  heldBytesMax: number
  bodyMs: number
}

const FIRST_BYTES = 1024
const NOTHING = Buffer.alloc(0)

interface OpenBody {
  readonly res: HttpResponse
  readonly receiver: BodyReceiver
  readonly timer: NodeJS.Timeout
  buffer: Buffer
  length: number
  pieces: number
  /** Length of the first BODY_PIECES_FREE pieces. */
  freeBytes: number
}

/** Returns true if the pieces after the free ones average too few bytes. The newest may be short. */
function isFragmented({ pieces, length, freeBytes }: OpenBody): boolean {
  const beyond = pieces - BODY_PIECES_FREE - 1
  return beyond > 0 && length - freeBytes < beyond * BODY_PIECE_BYTES_MIN
}

/** Returns the bounds of each thread. Threads share BODIES_BYTES_MAX. */
export function bodyBounds(threads: number): BodyBounds {
  return {
    heldBytesMax: Math.max(BODIES_BYTES_PER_THREAD_MIN, BODIES_BYTES_MAX / threads),
    bodyMs: BODY_MS_MAX,
  }
}

/** Returns a function that hands a whole body to a receiver; never if the client disconnects. */
export function bodyReader(turns: Turns, refusals: EarlyRefusals, counts: ThreadCounts, bounds: BodyBounds) {
  /** Unfinished bodies, oldest first. */
  const unfinished = new Set<OpenBody>()

  function read(res: HttpResponse, receiver: BodyReceiver): void {
    let body: OpenBody | undefined
    res.onData((chunk, isLast) => {
      if (isLast && body === undefined) {
        // Nearly every body comes in one piece and is never copied.
        if (chunk.byteLength > receiver.bytesMax) refusals.large(res, true, receiver.endpointNumber)
        else turns.run(res, new Uint8Array(chunk), receiver)
        return
      }
      body ??= begin(res, receiver)
      if (unfinished.has(body)) take(body, chunk, isLast)
    })
  }

  function begin(res: HttpResponse, receiver: BodyReceiver): OpenBody {
    const timer = setTimeout(() => endLate(body), bounds.bodyMs).unref()
    const body: OpenBody = { res, receiver, timer, buffer: NOTHING, length: 0, pieces: 0, freeBytes: 0 }
    unfinished.add(body)
    res.onAborted(() => end(body))
    return body
  }

  function take(body: OpenBody, chunk: ArrayBuffer, isLast: boolean): void {
    const { res, receiver } = body
    body.pieces++
    body.length += chunk.byteLength
    if (body.pieces === BODY_PIECES_FREE) body.freeBytes = body.length
    if (isFragmented(body) && !isLast) {
      end(body)
      return refusals.large(res, false, receiver.endpointNumber, true)
    }
    if (body.length > receiver.bytesMax) return drain(body, isLast)
    if (body.length > body.buffer.length) grow(body)
    // A copy, because uWebSockets.js reuses the chunk after this callback.
    body.buffer.set(new Uint8Array(chunk), body.length - chunk.byteLength)
    if (!isLast) return
    const { buffer } = body
    end(body)
    turns.run(res, buffer.subarray(0, body.length), receiver)
  }

  /** Drops the rest, within a bound: most clients read the answer only after sending the whole body. */
  function drain(body: OpenBody, isLast: boolean): void {
    const { res, receiver } = body
    release(body)
    if (!isLast && body.length <= receiver.bytesMax + BODY_DRAIN_BYTES_MAX) return
    end(body)
    refusals.large(res, isLast, receiver.endpointNumber)
  }

  /** Doubles the buffer. Above the bound, ends the oldest bodies first: honest ones are soon complete. */
  function grow(body: OpenBody): void {
    let bytes = Math.max(FIRST_BYTES, body.buffer.length * 2)
    while (bytes < body.length) bytes *= 2
    const moreBytes = bytes - body.buffer.length
    for (const other of unfinished) {
      if (counts.gauges[GAUGE.heldBytes] + moreBytes <= bounds.heldBytesMax) break
      if (other === body || other.buffer.length === 0) continue
      end(other)
      refusals.crowded(other.res, other.receiver.endpointNumber)
    }
    const buffer = Buffer.allocUnsafeSlow(bytes)
    buffer.set(body.buffer)
    release(body)
    body.buffer = buffer
    counts.gauges[GAUGE.heldBytes] += bytes
  }

  function end(body: OpenBody): void {
    clearTimeout(body.timer)
    unfinished.delete(body)
    release(body)
  }

  function release(body: OpenBody): void {
    counts.gauges[GAUGE.heldBytes] -= body.buffer.length
    body.buffer = NOTHING
  }

  function endLate(body: OpenBody): void {
    end(body)
    counts.countRefusal('slow_body')
    body.res.close()
  }

  return read
}

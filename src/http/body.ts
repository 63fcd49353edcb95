/** Reads request bodies within their bounds. */
import type { HttpResponse } from 'uWebSockets.js'
import { BODY_DRAIN_BYTES_MAX } from '../limits.ts'

/** What happens to the bodies of a route. Made once for each route where it can be, and not for each request. */
export interface BodyReceiver {
  readonly bytesMax: number
  /** Takes a complete body, within uWebSockets.js's own callback. Its bytes are valid only until this returns. */
  done(res: HttpResponse, body: Uint8Array): void
  /** Called instead when the body exceeds `bytesMax`; `isRead` says whether all of it has arrived. */
  tooLarge(res: HttpResponse, isRead: boolean): void
}

/** Hands the body of the request to `receiver`, or nothing when the client goes away. */
export function readBody(res: HttpResponse, receiver: BodyReceiver): void {
  let parts: Buffer[] | undefined
  let length = 0
  const drainedMax = receiver.bytesMax + BODY_DRAIN_BYTES_MAX
  res.onData((chunk, isLast) => {
    if (length > drainedMax) return
    length += chunk.byteLength
    if (length > receiver.bytesMax) {
      // A client reads the answer only after it has sent its body; an answer in the middle of it would be lost with the
      // connection. So the rest is read and dropped, within a bound.
      parts = []
      if (isLast || length > drainedMax) receiver.tooLarge(res, isLast)
      return
    }
    // Nearly every body comes in one piece and is never copied.
    if (parts === undefined && isLast) return receiver.done(res, new Uint8Array(chunk))
    parts ??= []
    // A copy, because uWebSockets.js takes the chunk back when this callback returns.
    parts.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) receiver.done(res, Buffer.concat(parts))
  })
}

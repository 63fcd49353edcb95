/** Reads request bodies within their bounds. */
import type { HttpResponse } from 'uWebSockets.js'

/** What happens to the bodies of a route. Made once for each route where it can be, and not for each request. */
export interface BodyReceiver {
  readonly bytesMax: number
  /** Takes a complete body, within uWebSockets.js's own callback. Its bytes are valid only until this returns. */
  done(res: HttpResponse, body: Uint8Array): void
  /** Called instead when the body exceeds `bytesMax`. */
  tooLarge(res: HttpResponse): void
}

/** Hands the body of the request to `receiver`, or nothing when the client goes away. */
export function readBody(res: HttpResponse, receiver: BodyReceiver): void {
  let parts: Buffer[] | undefined
  let length = 0
  res.onData((chunk, isLast) => {
    if (length > receiver.bytesMax) return
    length += chunk.byteLength
    if (length > receiver.bytesMax) return receiver.tooLarge(res)
    // Nearly every body comes in one piece and is never copied.
    if (parts === undefined && isLast) return receiver.done(res, new Uint8Array(chunk))
    parts ??= []
    // A copy, because uWebSockets.js takes the chunk back when this callback returns.
    parts.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) receiver.done(res, Buffer.concat(parts))
  })
}

/** Reads request bodies within their bounds. */
import type { HttpResponse } from 'uWebSockets.js'

/**
 * Calls `done` with the body as soon as it is complete, within uWebSockets.js's own callback, or `tooLarge` when it exceeds
 * `bytesMax`. The bytes are valid only until `done` returns. Neither is called when the client goes away.
 */
export function readBody(
  res: HttpResponse,
  bytesMax: number,
  done: (body: Uint8Array) => void,
  tooLarge: () => void,
): void {
  let parts: Buffer[] | undefined
  let length = 0
  res.onData((chunk, isLast) => {
    if (length > bytesMax) return
    length += chunk.byteLength
    if (length > bytesMax) return tooLarge()
    // Nearly every body comes in one piece and is never copied.
    if (parts === undefined && isLast) return done(new Uint8Array(chunk))
    parts ??= []
    // A copy, because uWebSockets.js takes the chunk back when this callback returns.
    parts.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) done(Buffer.concat(parts))
  })
}

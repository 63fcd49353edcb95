/**
 * MessagePack in place of JSON: bodies become JSON before anything reads them, and answers become MessagePack when they are sent, so
 * that both have the same fields and every check is made once.
 */

import type { HttpResponse } from 'uWebSockets.js'
import { PackedReader } from '../text/json-from-packed.ts'
import { PackedWriter } from '../text/packed-from-json.ts'

const reader = new PackedReader()
const writer = new PackedWriter()
/** What no endpoint takes for a request. */
const MALFORMED = new Uint8Array(0)

/** What a request said about itself, kept with its response: uWebSockets.js allows further fields there. */
export function markPacked(res: HttpResponse, hasPackedBody: boolean, wantsPacked: boolean): void {
  res.hasPackedBody = hasPackedBody
  res.wantsPacked = wantsPacked
}

/** Whether the client has sent MessagePack. */
export function hasPackedBody(res: HttpResponse): boolean {
  return res.hasPackedBody === true
}

/** Whether the client has asked for MessagePack. */
export function wantsPacked(res: HttpResponse): boolean {
  return res.wantsPacked === true
}

/**
 * The body of a request as JSON: as it is, or made from MessagePack. Nothing when it is malformed, or when it would be longer
 * than `bytesMax` as JSON, which every reader of bodies relies on.
 */
export function jsonBody(res: HttpResponse, body: Uint8Array, bytesMax: number): Uint8Array {
  return hasPackedBody(res) ? (reader.json(body, bytesMax) ?? MALFORMED) : body
}

/** An answer in JSON as MessagePack, in a buffer that the next call overwrites. */
export function packedAnswer(json: Uint8Array): Uint8Array {
  return writer.packed(json)
}

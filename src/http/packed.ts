/**
 * MessagePack in place of JSON: bodies become JSON before anything reads them, and answers become MessagePack when they are sent, so
 * that both have the same fields and every check is made once.
 */

import type { HttpResponse } from 'uWebSockets.js'
import { Packr, Unpackr } from 'msgpackr'
import { PACKED_DEPTH_MAX } from '../limits.ts'

const packr = new Packr({ useRecords: false, variableMapSize: true })
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true })
/** What no endpoint takes for a request. */
const MALFORMED = new Uint8Array(0)

/** What a request said about itself, kept with its response: uWebSockets.js allows further fields there. */
export function markPacked(res: HttpResponse, hasPackedBody: boolean, wantsPacked: boolean): void {
  res.hasPackedBody = hasPackedBody
  res.wantsPacked = wantsPacked
}

/** Whether the client has asked for MessagePack. */
export function wantsPacked(res: HttpResponse): boolean {
  return res.wantsPacked === true
}

/** The body of a request as JSON: as it is, or made from MessagePack. Nothing when it is malformed. */
export function jsonBody(res: HttpResponse, body: Uint8Array): Uint8Array {
  if (res.hasPackedBody !== true) return body
  if (!isWhole(body)) return MALFORMED
  try {
    return Buffer.from(JSON.stringify(unpackr.unpack(body)))
  } catch {
    // Too deep for the stack, or a number that JSON cannot write.
    return MALFORMED
  }
}

/** Whether the request has a body in MessagePack. */
export function hasPackedBody(res: HttpResponse): boolean {
  return res.hasPackedBody === true
}

/** An answer in JSON as MessagePack. */
export function packedAnswer(json: Uint8Array): Buffer {
  return packr.pack(JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.length).toString('utf8')))
}

/** First byte of what libraries of JavaScript write for `undefined`, an extension of two zeros: the field counts as absent. */
const UNDEFINED = 0xd4

/** By the first byte of a value from 0xc0 on: bytes of its length, or, where that is 0, bytes that follow; -1: not allowed. */
const LENGTH_BYTES = new Int8Array(32)
const FIXED_BYTES = new Int8Array(32)
const LISTS: ReadonlySet<number> = new Set([0xdc, 0xdd])
const MAPS: ReadonlySet<number> = new Set([0xde, 0xdf])
for (const [first, length] of [
  [0xc4, 1],
  [0xc5, 2],
  [0xc6, 4],
  [0xd9, 1],
  [0xda, 2],
  [0xdb, 4],
  [0xdc, 2],
  [0xdd, 4],
  [0xde, 2],
  [0xdf, 4],
])
  LENGTH_BYTES[first - 0xc0] = length
for (const [first, bytes] of [
  [0xca, 4],
  [0xcb, 8],
  [0xcc, 1],
  [0xcd, 2],
  [0xce, 4],
  [0xcf, 8],
  [0xd0, 1],
  [0xd1, 2],
  [0xd2, 4],
  [0xd3, 8],
  [UNDEFINED, 2],
])
  FIXED_BYTES[first - 0xc0] = bytes
// Never used, and the extension types, which stand for values that JSON does not have.
for (const first of [0xc1, 0xc7, 0xc8, 0xc9, 0xd5, 0xd6, 0xd7, 0xd8]) FIXED_BYTES[first - 0xc0] = -1

const API_KEY = Buffer.from('apiKey')

/** Where the string of the last `apiKey` of the outer map is, after `isWhole`; an empty range when there is none. */
export const packedKey = { start: 0, end: 0 }

/**
 * Whether `bytes` are one value whose lengths are true; notes where its key is. The library reserves room for a list by its length alone, and four bytes can
 * claim four billion items. Some nanoseconds for each value.
 */
export function isWhole(bytes: Uint8Array): boolean {
  /** Values that are still to come, at each depth. */
  const left = new Float64Array(PACKED_DEPTH_MAX + 1)
  let depth = 0
  left[0] = 1
  let isOuterMap = false
  let isKeyNext = false
  packedKey.start = packedKey.end = 0
  let at = 0
  for (;;) {
    while (left[depth] === 0) {
      if (depth === 0) return at === bytes.length
      depth--
    }
    const isName = depth === 1 && isOuterMap && left[1] % 2 === 0
    left[depth]--
    if (at >= bytes.length) return false
    const first = bytes[at++]
    let items = 0
    let textBytes = 0
    if (first >= 0x80 && first <= 0x8f) items = (first & 0x0f) * 2
    else if (first >= 0x90 && first <= 0x9f) items = first & 0x0f
    else if (first >= 0xa0 && first <= 0xbf) {
      textBytes = first & 0x1f
      at += textBytes
    } else if (first >= 0xc0 && first <= 0xdf) {
      const lengthBytes = LENGTH_BYTES[first - 0xc0]
      const length = lengthBytes === 0 ? FIXED_BYTES[first - 0xc0] : bigEndian(bytes, at, lengthBytes)
      if (length < 0 || (first === UNDEFINED && (bytes[at] !== 0 || bytes[at + 1] !== 0))) return false
      at += lengthBytes
      if (LISTS.has(first)) items = length
      else if (MAPS.has(first)) items = length * 2
      else at += length
      if (first >= 0xd9 && first <= 0xdb) textBytes = length
    }
    // Each value takes at least a byte.
    if (at > bytes.length || items > bytes.length - at) return false
    if (depth === 0) isOuterMap = first < 0x90 || MAPS.has(first)
    if (isName) {
      isKeyNext = API_KEY.equals(bytes.subarray(at - textBytes, at))
      if (isKeyNext) packedKey.start = packedKey.end = 0
    } else if (isKeyNext && depth === 1) {
      packedKey.start = at - textBytes
      packedKey.end = at
      isKeyNext = false
    }
    if (items === 0) continue
    if (depth === PACKED_DEPTH_MAX) return false
    left[++depth] = items
  }
}

/** The number of `count` bytes at `at`; what is missing counts as zero. */
function bigEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) value = value * 256 + (i < bytes.length ? bytes[i] : 0)
  return value
}

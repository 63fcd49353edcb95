/** Reads the request log of one thread while that thread writes it. */

import type { LoggedRequest } from '../../data-plane.ts'
import { ENDPOINTS } from '../counted.ts'
import {
  BLOCK_WORDS,
  BLOCKS_PER_RING,
  CODE,
  COUNTRY,
  DURATION,
  ENTRIES,
  ENTRY_WORDS,
  GENERATION,
  HEAD_WORDS,
  KEY,
  NEXT,
  OWNER,
  RESULT,
  unpackResult,
} from './request-log-layout.ts'

/** The requests of the account `slot`, in no particular order. A block that changes hands meanwhile is left out. */
export function readRequestLog(
  heads: SharedArrayBuffer,
  blocks: SharedArrayBuffer,
  slot: number,
): LoggedRequest[] {
  const words = new Int32Array(blocks)
  const requests: LoggedRequest[] = []
  const newest = Atomics.load(new Int32Array(heads), slot) - 1
  let block = newest
  for (let count = 0; block >= 0 && count < BLOCKS_PER_RING; count++) {
    const head = block * BLOCK_WORDS
    const generation = Atomics.load(words, head + GENERATION)
    const entries = Atomics.load(words, head + ENTRIES)
    const copy = words.slice(head, head + BLOCK_WORDS)
    const isWhole = generation % 2 === 0 && Atomics.load(words, head + GENERATION) === generation
    if (!isWhole || copy[OWNER] !== slot + 1) break
    for (let i = 0; i < entries; i++) requests.push(requestAt(copy, HEAD_WORDS + i * ENTRY_WORDS))
    block = copy[NEXT]
    if (block === newest) break
  }
  return requests
}

function requestAt(words: Int32Array, at: number): LoggedRequest {
  const { status, endpoint, queries } = unpackResult(words[at + RESULT])
  const country = words[at + COUNTRY] & 0xffff
  const codeLength = words[at + COUNTRY] >>> 16
  const code = Buffer.from(words.buffer, (at + CODE) * Int32Array.BYTES_PER_ELEMENT, codeLength)
  return {
    timeMs: new Float64Array(words.buffer, at * Int32Array.BYTES_PER_ELEMENT, 1)[0],
    endpoint: ENDPOINTS[endpoint],
    country: country === 0 ? '' : String.fromCharCode(country & 0xff, country >> 8),
    status,
    durationMicros: words[at + DURATION],
    key: words[at + KEY],
    queries,
    code: codeLength === 0 ? null : code.toString('utf8'),
  }
}

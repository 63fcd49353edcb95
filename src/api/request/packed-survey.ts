/**
 * As `batch-survey.ts`, for a batch in MessagePack: whose it is, and how many records it has. Strings are passed over and lists
 * give their length, so the largest body takes less than a millisecond, and none has to become JSON first.
 */
import { PACKED_DEPTH_MAX, PACKED_VALUES_MAX } from '../../limits.ts'
import { viewOf } from '../../text/bytes.ts'
import type { BatchSurvey, Span } from './batch-survey.ts'

const API_KEY = Buffer.from('apiKey')
const RECORDS = Buffer.from('records')

/** Bytes of a value after its first byte, where that alone says so. -1: it has no form in JSON, or a count follows. */
const FIXED_BYTES = new Int8Array(256).fill(-1)
FIXED_BYTES.fill(0, 0, 0x80).fill(0, 0xe0)
for (const first of [0xc0, 0xc2, 0xc3]) FIXED_BYTES[first] = 0
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
  [0xd4, 2],
])
  FIXED_BYTES[first] = bytes

/** What the head of a value says: the kind, and its bytes (string) or items (list, map). */
const OTHER = 0
const STRING = 1
const LIST = 2
const MAP = 3

/** Walks over the heads of values. */
class Heads {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  at = 0
  kind = OTHER
  count = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }

  /** Reads the next head, and passes over what is neither list nor map. False when it is cut short or has no form in JSON. */
  read(): boolean {
    if (this.at >= this.#bytes.length) return false
    const first = this.#bytes[this.at++]
    this.kind = OTHER
    this.count = FIXED_BYTES[first]
    if (this.count < 0 && !this.#readCount(first)) return false
    if (this.kind <= STRING) this.at += this.count
    return this.at <= this.#bytes.length
  }

  #readCount(first: number): boolean {
    if (first < 0x90) return this.#short(MAP, first & 0x0f)
    if (first < 0xa0) return this.#short(LIST, first & 0x0f)
    if (first < 0xc0) return this.#short(STRING, first & 0x1f)
    switch (first) {
      case 0xd9:
        return this.#long(STRING, 1)
      case 0xda:
        return this.#long(STRING, 2)
      case 0xdb:
        return this.#long(STRING, 4)
      case 0xdc:
        return this.#long(LIST, 2)
      case 0xdd:
        return this.#long(LIST, 4)
      case 0xde:
        return this.#long(MAP, 2)
      case 0xdf:
        return this.#long(MAP, 4)
      default:
        return false
    }
  }

  #short(kind: number, count: number): boolean {
    this.kind = kind
    this.count = count
    return true
  }

  /** A count of 1, 2 or 4 bytes. */
  #long(kind: number, bytes: number): boolean {
    this.kind = kind
    if (this.at + bytes > this.#bytes.length) return false
    const { at } = this
    this.count =
      bytes === 1 ? this.#bytes[at] : bytes === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at)
    this.at += bytes
    return true
  }
}

/** Surveys `body`; undefined when it is not one map, or has more values or depth than a batch may. */
export function surveyPacked(body: Uint8Array): BatchSurvey | undefined {
  const heads = new Heads(body)
  if (readKind(heads) !== MAP) return undefined
  let apiKey: Span | undefined
  let records = 0
  let left = PACKED_VALUES_MAX
  for (let members = heads.count; members > 0; members--) {
    if (readKind(heads) !== STRING) return undefined
    const isKey = isText(body, heads, API_KEY)
    const isRecords = isText(body, heads, RECORDS)
    if (!heads.read()) return undefined
    const { kind, count, at } = heads
    if (isKey) apiKey = kind === STRING ? { start: at - count, end: at } : undefined
    if (isRecords) records = kind === LIST ? count : 0
    left = passOver(heads, left)
    if (left < 0) return undefined
  }
  return heads.at === body.length ? { apiKey, records } : undefined
}

function readKind(heads: Heads): number {
  return heads.read() ? heads.kind : -1
}

/** Whether the string that has just been read is `text`. */
function isText(body: Uint8Array, { at, count }: Heads, text: Uint8Array): boolean {
  if (count !== text.length) return false
  for (let i = 0; i < count; i++) if (body[at - count + i] !== text[i]) return false
  return true
}

/** Values that remain to be read in each list and map around the present one; a member of a map is two. */
const waiting = new Float64Array(PACKED_DEPTH_MAX + 1)

/**
 * Passes over what is in the list or map whose head has just been read.
 * @param left values that there may be
 * @returns how many of them there may still be; -1 when there were more, or one that is not sound
 */
function passOver(heads: Heads, left: number): number {
  let depth = 0
  let rest = left - 1
  waiting[0] = itemsOf(heads)
  while (depth >= 0) {
    if (waiting[depth] === 0) depth--
    else {
      waiting[depth]--
      // Names count as well, so a batch may have twice the values.
      rest -= 0.5
      if (rest < 0 || !heads.read()) return -1
      const items = itemsOf(heads)
      if (items > 0) {
        if (++depth === PACKED_DEPTH_MAX) return -1
        waiting[depth] = items
      }
    }
  }
  return rest
}

function itemsOf({ kind, count }: Heads): number {
  return kind === LIST ? count : kind === MAP ? 2 * count : 0
}

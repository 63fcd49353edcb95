/** Reads the TEXT and POST sections: strings and lists of indexes, each after a varint with its length. */
import { TEXT_FIELD_BYTES_MAX } from '../format/layout.ts'
import { utf8Text } from '../text/bytes.ts'
import { damaged } from './index-file-error.ts'

/** Reads varints in order. `at` is the offset of the next. */
class VarintReader {
  readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes
    this.at = at
  }

  next(): number {
    let byte = this.bytes[this.at++]
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80 && shift < 35; shift += 7) {
      byte = this.bytes[this.at++]
      value |= (byte & 0x7f) << shift
    }
    return value >>> 0
  }
}

/** Copies the string at `offset` of TEXT, still escaped for JSON, to `out`. Returns its end there. */
export function copyText(text: Uint8Array, offset: number, out: Uint8Array, at: number): number {
  let from = offset
  let length = text[from++]
  if (length >= 0x80) {
    length = longLength(text, offset)
    from = offset + varintBytes(length)
  }
  // Negated: beyond the section, `length` is undefined and every comparison is false.
  if (!(from + length <= text.length)) outOfText(offset)
  // Names are short: a loop is faster than `set`, which needs a view.
  for (let i = 0; i < length; i++) out[at + i] = text[from + i]
  return at + length
}

function longLength(text: Uint8Array, offset: number): number {
  const reader = new VarintReader(text, offset)
  const length = reader.next()
  if (length > TEXT_FIELD_BYTES_MAX || reader.at !== offset + varintBytes(length)) outOfText(offset)
  return length
}

function varintBytes(length: number): number {
  return length < 0x80 ? 1 : 2
}

function outOfText(offset: number): never {
  return damaged(
    `the string at ${offset} of TEXT is longer than ${TEXT_FIELD_BYTES_MAX} bytes or leaves the section`,
  )
}

/** Returns the string at `offset` of TEXT, still escaped for JSON. @throws DamagedIndexError */
export function escapedText(text: Uint8Array, offset: number): string {
  const first = text[offset]
  const length = first >= 0x80 ? longLength(text, offset) : first
  const from = offset + varintBytes(length)
  if (!(from + length <= text.length)) outOfText(offset)
  return utf8Text(text, from, from + length)
}

export function plainText(text: Uint8Array, offset: number): string {
  const escaped = escapedText(text, offset)
  return escaped.includes('\\') ? unescaped(`"${escaped}"`) : escaped
}

export function unescaped<T>(json: string): T {
  try {
    return JSON.parse(json) as T
  } catch {
    return damaged(`a string of TEXT is not escaped for JSON: ${json.slice(0, 60)}`)
  }
}

/** Returns the list at `offset` of POST: ascending, from `start` to below `end`. @throws DamagedIndexError */
export function readList(lists: Uint8Array, offset: number, start: number, end: number): number[] {
  const reader = new VarintReader(lists, offset)
  const indexes: number[] = []
  let index = -1
  for (let left = boundedLength(reader, offset); left > 0; left--) {
    const next = reader.next() + Math.max(index, 0)
    if (next <= index || next < start || next >= end)
      damaged(`the list at ${offset} of POST has index ${next}, expected ${start} to ${end - 1}, ascending`)
    index = next
    indexes.push(index)
  }
  return indexes
}

/** Returns true if the list at `offset` of POST has an index from `first` to below `end`. */
export function hasIndex(lists: Uint8Array, offset: number, first: number, end: number): boolean {
  const reader = new VarintReader(lists, offset)
  let last = -1
  for (let left = boundedLength(reader, offset); left > 0 && last < first; left--)
    last = Math.max(0, last) + reader.next()
  return last >= first && last < end
}

/** Returns the length of the list at `offset` of POST, without an object. @throws DamagedIndexError */
export function listLength(lists: Uint8Array, offset: number): number {
  const first = lists[offset]
  if (first < 0x80 && first < lists.length - offset) return first
  const reader = new VarintReader(lists, offset)
  return boundedLength(reader, offset)
}

function boundedLength(reader: VarintReader, offset: number): number {
  const length = reader.next()
  if (length > reader.bytes.length - reader.at) damaged(`the list at ${offset} of POST leaves the section`)
  return length
}

/** Reads the TEXT and POST sections: strings and lists of indexes, both led by a varint. */
import { NAME_ADMIN_BYTES } from '../format/layout.ts'

/** Reads varints one after another; `at` is the offset of the next. One reader is reused, so that a number costs no object. */
export class VarintReader {
  readonly bytes: Uint8Array
  at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
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

/** Copies the string at `offset` of TEXT to `out` at `at`, escaped for JSON as it is stored. @returns where it ends */
export function copyText(text: Uint8Array, offset: number, out: Uint8Array, at: number): number {
  let from = offset
  let length = text[from++]
  if (length >= 0x80) {
    length &= 0x7f
    let byte = 0x80
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = text[from++]
      length |= (byte & 0x7f) << shift
    }
  }
  // Names are short: a loop beats `set`, which makes a view of the source first.
  for (let i = 0; i < length; i++) out[at + i] = text[from + i]
  return at + length
}

/** Index into ADMN that stands before the name of a code's place, which is at `name` of TEXT. */
export function adminBefore(text: Uint8Array, name: number): number {
  const at = name - NAME_ADMIN_BYTES
  return text[at] | (text[at + 1] << 8) | (text[at + 2] << 16)
}

/** The string at `offset` of TEXT, still escaped for JSON. */
export function escapedText(text: Uint8Array, offset: number): string {
  const reader = new VarintReader(text)
  reader.at = offset
  const length = reader.next()
  return Buffer.from(text.buffer, text.byteOffset + reader.at, length).toString('utf8')
}

/** The string at `offset` of TEXT. */
export function plainText(text: Uint8Array, offset: number): string {
  const escaped = escapedText(text, offset)
  return escaped.includes('\\') ? JSON.parse(`"${escaped}"`) : escaped
}

/** The list at `offset` of POST: ascending indexes. */
export function readList(lists: Uint8Array, offset: number): number[] {
  const reader = new VarintReader(lists)
  reader.at = offset
  const indexes: number[] = []
  let index = 0
  // A damaged length is bounded by the section's end, so that it costs time but never hangs.
  for (let left = reader.next(); left > 0 && reader.at < lists.length; left--) {
    index += reader.next()
    indexes.push(index)
  }
  return indexes
}

/** Number of indexes in the list at `offset` of POST. */
export function listLength(lists: Uint8Array, offset: number): number {
  const reader = new VarintReader(lists)
  reader.at = offset
  return reader.next()
}

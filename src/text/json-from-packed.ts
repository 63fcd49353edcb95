/**
 * Writes a MessagePack value as JSON, byte by byte in one pass: no object is made of what a client has sent. A large batch is
 * converted by the worker that validates it.
 */
import { PACKED_DEPTH_MAX, PACKED_VALUES_MAX } from '../limits.ts'
import { viewOf } from './bytes.ts'
import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COLON,
  COMMA,
  QUOTE,
} from './json-bytes.ts'

/** What a client has written that is not one whole value, or has no form in JSON, or is too much. */
class Malformed extends Error {}

const NUMBER_BYTES_MAX = 32
const HEX = Buffer.from('0123456789abcdef')
const UNICODE_ESCAPE = Buffer.from('\\u00')
const UNICODE_ESCAPE_BYTES = 6
const DIGIT_0 = 0x30

const [NULL, TRUE, FALSE] = ['null', 'true', 'false'].map(text => Buffer.from(text))

export class PackedReader {
  #bytes: Uint8Array = new Uint8Array(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #at = 0
  #values = 0
  #out: Buffer = Buffer.alloc(0)
  #length = 0
  #lengthMax = 0

  /**
   * `bytes` as JSON, or undefined when they are not one whole value that JSON can write in `bytesMax` bytes. Names of members must
   * be strings; a number must be finite; `d4 00 00`, which libraries of JavaScript write for `undefined`, is null; binary data and
   * other extensions are refused.
   */
  json(bytes: Uint8Array, bytesMax: number): Buffer | undefined {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
    this.#at = 0
    this.#values = 0
    this.#out = Buffer.allocUnsafe(Math.min(bytesMax, bytes.length * 2 + NUMBER_BYTES_MAX))
    this.#length = 0
    this.#lengthMax = bytesMax
    try {
      this.#value(0)
      return this.#at === bytes.length ? this.#out.subarray(0, this.#length) : undefined
    } catch (error) {
      // A `RangeError` is the view's: the value is cut short.
      if (error instanceof Malformed || error instanceof RangeError) return undefined
      throw error
    }
  }

  #value(depth: number): void {
    if (depth > PACKED_DEPTH_MAX || ++this.#values > PACKED_VALUES_MAX) throw new Malformed()
    const first = this.#view.getUint8(this.#at++)
    if (first < 0x80) this.#small(first)
    else if (first < 0x90) this.#map(first & 0x0f, depth)
    else if (first < 0xa0) this.#list(first & 0x0f, depth)
    else if (first < 0xc0) this.#string(first & 0x1f)
    else if (first >= 0xe0) this.#text(String(first - 0x100))
    else this.#longValue(first, depth)
  }

  #longValue(first: number, depth: number): void {
    const view = this.#view
    switch (first) {
      case 0xc0:
        return this.#put(NULL)
      case 0xc2:
        return this.#put(FALSE)
      case 0xc3:
        return this.#put(TRUE)
      case 0xca:
        return this.#float(view.getFloat32(this.#skip(4)))
      case 0xcb:
        return this.#float(view.getFloat64(this.#skip(8)))
      case 0xcc:
        return this.#small(view.getUint8(this.#skip(1)))
      case 0xcd:
        return this.#text(String(view.getUint16(this.#skip(2))))
      case 0xce:
        return this.#text(String(view.getUint32(this.#skip(4))))
      case 0xcf:
        return this.#text(String(view.getBigUint64(this.#skip(8))))
      case 0xd0:
        return this.#text(String(view.getInt8(this.#skip(1))))
      case 0xd1:
        return this.#text(String(view.getInt16(this.#skip(2))))
      case 0xd2:
        return this.#text(String(view.getInt32(this.#skip(4))))
      case 0xd3:
        return this.#text(String(view.getBigInt64(this.#skip(8))))
      case 0xd4:
        if (view.getUint16(this.#skip(2)) !== 0) throw new Malformed()
        return this.#put(NULL)
      case 0xdc:
        return this.#list(view.getUint16(this.#skip(2)), depth)
      case 0xdd:
        return this.#list(view.getUint32(this.#skip(4)), depth)
      case 0xde:
        return this.#map(view.getUint16(this.#skip(2)), depth)
      case 0xdf:
        return this.#map(view.getUint32(this.#skip(4)), depth)
      default:
        return this.#string(this.#stringBytes(first))
    }
  }

  #list(items: number, depth: number): void {
    this.#byte(BRACKET_OPEN)
    for (let item = 0; item < items; item++) {
      if (item > 0) this.#byte(COMMA)
      this.#value(depth + 1)
    }
    this.#byte(BRACKET_CLOSE)
  }

  #map(members: number, depth: number): void {
    this.#byte(BRACE_OPEN)
    for (let member = 0; member < members; member++) {
      if (member > 0) this.#byte(COMMA)
      const first = this.#view.getUint8(this.#at++)
      this.#string(first >= 0xa0 && first < 0xc0 ? first & 0x1f : this.#stringBytes(first))
      this.#byte(COLON)
      this.#value(depth + 1)
    }
    this.#byte(BRACE_CLOSE)
  }

  /** Length of a string that begins with `first`, one of the three longer forms. */
  #stringBytes(first: number): number {
    if (first === 0xd9) return this.#view.getUint8(this.#skip(1))
    if (first === 0xda) return this.#view.getUint16(this.#skip(2))
    if (first === 0xdb) return this.#view.getUint32(this.#skip(4))
    throw new Malformed()
  }

  /** Copies a string of `count` bytes. That they are UTF-8 is checked by whoever reads the JSON. */
  #string(count: number): void {
    const start = this.#skip(count)
    if (this.#at > this.#bytes.length) throw new Malformed()
    this.#reserve(count + 2)
    this.#byte(QUOTE)
    const bytes = this.#bytes
    const end = this.#at
    const out = this.#out
    let at = start
    let to = this.#length
    while (at < end && isPlain(bytes[at])) out[to++] = bytes[at++]
    this.#length = to
    for (; at < end; at++) {
      const byte = bytes[at]
      if (byte < 0x20) this.#control(byte)
      else {
        if (byte === QUOTE || byte === BACKSLASH) this.#byte(BACKSLASH)
        this.#byte(byte)
      }
    }
    this.#byte(QUOTE)
  }

  #control(byte: number): void {
    this.#reserve(UNICODE_ESCAPE_BYTES)
    const out = this.#out
    for (const part of UNICODE_ESCAPE) out[this.#length++] = part
    out[this.#length++] = HEX[byte >> 4]
    out[this.#length++] = HEX[byte & 0x0f]
  }

  /** An integer up to 255: nearly all that batches have. */
  #small(value: number): void {
    if (value >= 100) this.#byte(DIGIT_0 + Math.floor(value / 100))
    if (value >= 10) this.#byte(DIGIT_0 + (Math.floor(value / 10) % 10))
    this.#byte(DIGIT_0 + (value % 10))
  }

  #float(value: number): void {
    if (!Number.isFinite(value)) throw new Malformed()
    this.#text(JSON.stringify(value))
  }

  /** Passes over `count` bytes; returns where they begin. */
  #skip(count: number): number {
    const start = this.#at
    this.#at += count
    return start
  }

  #put(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#out.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** ASCII. */
  #text(text: string): void {
    this.#reserve(text.length)
    this.#length += this.#out.write(text, this.#length, 'latin1')
  }

  #byte(byte: number): void {
    if (this.#length === this.#out.length) this.#reserve(1)
    this.#out[this.#length++] = byte
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#out.length) return
    if (needed > this.#lengthMax) throw new Malformed()
    const longer = Buffer.allocUnsafe(Math.min(this.#lengthMax, Math.max(needed, this.#out.length * 2)))
    this.#out.copy(longer, 0, 0, this.#length)
    this.#out = longer
  }
}

/** Whether a byte stands for itself in a JSON string. */
function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH
}

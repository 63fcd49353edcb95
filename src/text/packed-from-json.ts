/**
 * Writes JSON of our own as MessagePack, byte by byte in one pass. `JSON.parse` and a packer would take twice as long over a
 * batch, and many times as long when the garbage of their objects is collected.
 */
import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COMMA,
  DIGIT_0,
  MINUS,
  numberEnd,
  QUOTE,
  spaceEnd,
} from './json-bytes.ts'
import { putUnescaped } from './json-escapes.ts'
import { stringEnd } from './json-values.ts'

const LETTER_N = 0x6e
const LETTER_T = 0x74
const LETTER_F = 0x66
const POINT = 0x2e
const [NIL, FALSE, TRUE, FLOAT_64] = [0xc0, 0xc2, 0xc3, 0xcb]
/** First bytes of a map and of a list: short, with a count of two bytes, and of four. */
const MAP = [0x80, 0xde, 0xdf] as const
const LIST = [0x90, 0xdc, 0xdd] as const
const SHORT_ITEMS_MAX = 15
const SHORT_STRING = 0xa0
const SHORT_STRING_BYTES_MAX = 31
const STRING_HEAD_BYTES_MAX = 5
const NUMBER_BYTES_MAX = 9
/** Digits that a double holds exactly, and the powers of ten up to that. */
const EXACT_DIGITS_MAX = 15
const POWERS = Array.from({ length: EXACT_DIGITS_MAX + 1 }, (_, power) => 10 ** power)
const ROOM_BYTES = 64

export class PackedWriter {
  #json: Uint8Array = new Uint8Array(0)
  #at = 0
  #out = new Uint8Array(0)
  #view = new DataView(this.#out.buffer)
  #to = 0

  /**
   * `json` as MessagePack with the shortest form of each length, in a buffer that the next call overwrites. Integers beyond 32 bits are
   * doubles, as in JSON.
   * @throws SyntaxError when `json` is not one value of JSON
   */
  packed(json: Uint8Array): Uint8Array {
    this.#json = json
    this.#at = 0
    this.#to = 0
    if (this.#out.length < json.length) this.#grow(json.length + ROOM_BYTES)
    this.#value()
    if (this.#next() !== undefined) this.#fail()
    return this.#out.subarray(0, this.#to)
  }

  /** The next byte that is not white space. */
  #next(): number | undefined {
    const json = this.#json
    if (this.#at < json.length && json[this.#at] <= 0x20) this.#at = spaceEnd(json, this.#at)
    return this.#at < json.length ? json[this.#at] : undefined
  }

  #value(): void {
    switch (this.#next()) {
      case QUOTE:
        return this.#string()
      case BRACE_OPEN:
        return this.#items(MAP, BRACE_CLOSE)
      case BRACKET_OPEN:
        return this.#items(LIST, BRACKET_CLOSE)
      case LETTER_N:
        return this.#word(4, NIL)
      case LETTER_T:
        return this.#word(4, TRUE)
      case LETTER_F:
        return this.#word(5, FALSE)
      default:
        return this.#number()
    }
  }

  #word(bytes: number, packed: number): void {
    this.#at += bytes
    this.#reserve(1)
    this.#out[this.#to++] = packed
  }

  /** A list or a map. Most have few items, so the count gets one byte, and room for a longer one is made when it is known. */
  #items(heads: typeof MAP | typeof LIST, close: number): void {
    const start = this.#to
    let count = 0
    this.#reserve(1)
    this.#to++
    this.#at++
    if (this.#next() === close) this.#at++
    else {
      for (;;) {
        if (heads === MAP) {
          if (this.#next() !== QUOTE) this.#fail()
          this.#string()
          // The colon.
          this.#next()
          this.#at++
        } else count += this.#shortStrings()
        this.#value()
        count++
        const byte = this.#next()
        this.#at++
        if (byte === close) break
        if (byte !== COMMA) this.#fail()
      }
    }
    if (count <= SHORT_ITEMS_MAX) this.#out[start] = heads[0] + count
    else this.#longCount(start, count, heads)
  }

  /**
   * Copies the short plain strings of a list, each with the comma after it, up to the first that is something else. In line, because
   * the 117,357 codes of one city must not take more than a millisecond or two.
   * @returns how many
   */
  #shortStrings(): number {
    const json = this.#json
    const out = this.#out
    const end = Math.min(json.length, this.#at + out.length - this.#to) - SHORT_STRING_BYTES_MAX
    let at = this.#at
    let to = this.#to
    let count = 0
    while (at < end && json[at] === QUOTE) {
      const start = at + 1
      let from = start
      let byte = json[from]
      // A longer one is left to `#string`, which writes over what was copied of it.
      while (byte !== QUOTE && byte !== BACKSLASH && from - start < SHORT_STRING_BYTES_MAX) {
        out[to + from - at] = byte
        byte = json[++from]
      }
      if (byte !== QUOTE || json[from + 1] !== COMMA) break
      out[to] = SHORT_STRING + from - start
      to += from - at
      at = from + 2
      count++
    }
    this.#at = at
    this.#to = to
    return count
  }

  #longCount(start: number, count: number, heads: typeof MAP | typeof LIST): void {
    const bytes = count <= 0xffff ? 2 : 4
    this.#reserve(bytes)
    this.#out.copyWithin(start + 1 + bytes, start + 1, this.#to)
    this.#to += bytes
    this.#out[start] = heads[bytes === 2 ? 1 : 2]
    if (bytes === 2) this.#view.setUint16(start + 1, count)
    else this.#view.setUint32(start + 1, count)
  }

  /** Copies a short plain string while its end is looked for. */
  #string(): void {
    const json = this.#json
    this.#reserve(SHORT_STRING_BYTES_MAX + 1)
    const out = this.#out
    const start = this.#at + 1
    const first = this.#to + 1
    const end = Math.min(json.length, start + SHORT_STRING_BYTES_MAX + 1)
    let at = start
    let to = first
    while (at < end && json[at] !== QUOTE && json[at] !== BACKSLASH) out[to++] = json[at++]
    if (at === end || json[at] !== QUOTE) return this.#longString(start)
    out[first - 1] = SHORT_STRING + at - start
    this.#to = to
    this.#at = at + 1
  }

  #longString(start: number): void {
    const json = this.#json
    const end = stringEnd(json, start)
    if (end < 0) this.#fail()
    this.#reserve(end - start + STRING_HEAD_BYTES_MAX)
    const text = this.#to + STRING_HEAD_BYTES_MAX
    const length = putUnescaped(json, start, end, this.#out, text) - text
    this.#stringHead(length)
    this.#out.copyWithin(this.#to, text, text + length)
    this.#to += length
    this.#at = end + 1
  }

  #stringHead(length: number): void {
    if (length <= SHORT_STRING_BYTES_MAX) this.#out[this.#to++] = SHORT_STRING + length
    else if (length <= 0xff) {
      this.#out[this.#to++] = 0xd9
      this.#out[this.#to++] = length
    } else if (length <= 0xffff) {
      this.#out[this.#to++] = 0xda
      this.#view.setUint16(this.#to, length)
      this.#to += 2
    } else {
      this.#out[this.#to++] = 0xdb
      this.#view.setUint32(this.#to, length)
      this.#to += 4
    }
  }

  #number(): void {
    const json = this.#json
    const start = this.#at
    const end = numberEnd(json, start)
    if (end < 0) this.#fail()
    this.#at = end
    this.#reserve(NUMBER_BYTES_MAX)
    this.#putNumber(numberAt(json, start, end))
  }

  #putNumber(value: number): void {
    const out = this.#out
    const view = this.#view
    const to = this.#to
    if (value >>> 0 === value) {
      if (value < 0x80) out[this.#to++] = value
      else if (value <= 0xff) {
        out[to] = 0xcc
        out[to + 1] = value
        this.#to += 2
      } else if (value <= 0xffff) {
        out[to] = 0xcd
        view.setUint16(to + 1, value)
        this.#to += 3
      } else {
        out[to] = 0xce
        view.setUint32(to + 1, value)
        this.#to += 5
      }
    } else if (value >> 0 === value) {
      if (value >= -0x20) out[this.#to++] = value
      else if (value >= -0x80) {
        out[to] = 0xd0
        out[to + 1] = value
        this.#to += 2
      } else if (value >= -0x8000) {
        out[to] = 0xd1
        view.setInt16(to + 1, value)
        this.#to += 3
      } else {
        out[to] = 0xd2
        view.setInt32(to + 1, value)
        this.#to += 5
      }
    } else {
      out[to] = FLOAT_64
      view.setFloat64(to + 1, value)
      this.#to += NUMBER_BYTES_MAX
    }
  }

  #reserve(bytes: number): void {
    if (this.#to + bytes > this.#out.length) this.#grow(2 * this.#out.length + bytes)
  }

  #grow(bytes: number): void {
    const out = new Uint8Array(bytes)
    out.set(this.#out.subarray(0, this.#to))
    this.#out = out
    this.#view = new DataView(out.buffer)
  }

  #fail(): never {
    throw new SyntaxError(`an answer is not JSON at byte ${this.#at}`)
  }
}

/**
 * The number `json[start, end)`. Up to 15 digits are an exact integer, and dividing that by an exact power of ten rounds once, so
 * that the result is the nearest double (Clinger, How to read floating-point numbers accurately, 1990).
 */
function numberAt(json: Uint8Array, start: number, end: number): number {
  const isNegative = json[start] === MINUS
  let digits = 0
  let fraction = -1
  let value = 0
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    const digit = json[at] - DIGIT_0
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      digits++
    } else if (json[at] === POINT) fraction = digits
    else digits = EXACT_DIGITS_MAX + 1
  }
  if (digits > EXACT_DIGITS_MAX) return Number(String.fromCharCode(...json.subarray(start, end)))
  if (fraction >= 0) value /= POWERS[digits - fraction]
  return isNegative ? -value : value
}

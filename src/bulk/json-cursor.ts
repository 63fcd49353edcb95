/** Steps through the plain part of JSON: objects, arrays, printable ASCII strings without escapes, whole numbers. */

import { COLON, COMMA, plainEnd, QUOTE, spaceEnd, wholeNumberEnd } from '../text/json-bytes.ts'

/** A step returns false at the first byte that is not plain; the whole body is then left to `JSON.parse`. */
export class JsonCursor {
  body: Uint8Array = new Uint8Array(0)
  /** Offset of the next byte to be read. */
  at = 0
  /** The name or value last read is `body[start, end)`, without quotes. */
  start = 0
  end = 0
  /** Whether the value last read was a string. */
  isText = false

  begin(body: Uint8Array): void {
    this.body = body
    this.at = 0
  }

  /** Steps over `bracket`. */
  open(bracket: number): boolean {
    return this.#step(bracket)
  }

  close(bracket: number): boolean {
    return this.#step(bracket)
  }

  comma(): boolean {
    return this.#step(COMMA)
  }

  atEnd(): boolean {
    this.at = spaceEnd(this.body, this.at)
    return this.at === this.body.length
  }

  /** Reads `"name":`. */
  name(): boolean {
    return this.#step(QUOTE) && this.#text() && this.#step(COLON)
  }

  /** Whether the name last read is `name`. */
  nameIs(name: Uint8Array): boolean {
    const { body, start, end } = this
    if (end - start !== name.length) return false
    for (let i = 0; i < name.length; i++) if (body[start + i] !== name[i]) return false
    return true
  }

  /** Reads a string or a whole number. */
  value(): boolean {
    this.isText = this.#step(QUOTE)
    return this.isText ? this.#text() : this.#number()
  }

  #text(): boolean {
    const { body, at } = this
    this.start = at
    this.end = plainEnd(body, at)
    this.at = this.end + 1
    return this.end < body.length && body[this.end] === QUOTE
  }

  #number(): boolean {
    this.start = this.at
    this.end = wholeNumberEnd(this.body, this.at)
    this.at = this.end
    return this.end >= 0
  }

  #step(byte: number): boolean {
    this.at = spaceEnd(this.body, this.at)
    if (this.body[this.at] !== byte) return false
    this.at++
    return true
  }
}

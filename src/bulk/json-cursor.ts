/** Steps through JSON: plain strings and numbers in line, everything else by `json-values.ts`. */
import { isUtf8 } from 'node:buffer'
import { COLON, COMMA, numberEnd, plainEnd, QUOTE, spaceEnd } from '../text/json-bytes.ts'
import { putUnescaped } from '../text/json-escapes.ts'
import { stringEnd, valueEnd } from '../text/json-values.ts'

/** A step returns false at the first byte that is not JSON. */
export class JsonCursor {
  body: Uint8Array = new Uint8Array(0)
  /** Offset of the next byte to be read. */
  at = 0
  /** The name or value last read is `body[start, end)`, without quotes. */
  start = 0
  end = 0
  /** Whether the value last read was a string. */
  isText = false
  /** Whether the string last read has characters beyond plain ASCII, perhaps as escapes. */
  isWritten = false
  /** Whether all that was read is printable ASCII. */
  isPlain = true
  #name = new Uint8Array(0)

  begin(body: Uint8Array): void {
    this.body = body
    this.at = 0
    this.isPlain = true
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

  /** Whether nothing is left, and all of it is UTF-8. */
  atEnd(): boolean {
    this.at = spaceEnd(this.body, this.at)
    return this.at === this.body.length && (this.isPlain || isUtf8(this.body))
  }

  /** Reads `"name":`. */
  name(): boolean {
    return this.#step(QUOTE) && this.#text() && this.#step(COLON)
  }

  /** Whether the name last read is `name`. */
  nameIs(name: Uint8Array): boolean {
    if (this.isWritten) return this.#isWrittenName(name)
    const { body, start, end } = this
    if (end - start !== name.length) return false
    for (let i = 0; i < name.length; i++) if (body[start + i] !== name[i]) return false
    return true
  }

  /** Reads any value. */
  value(): boolean {
    this.isWritten = false
    this.isText = this.#step(QUOTE)
    return this.isText ? this.#text() : this.#other()
  }

  #text(): boolean {
    const { body, at } = this
    this.start = at
    this.end = plainEnd(body, at)
    this.isWritten = this.end >= body.length || body[this.end] !== QUOTE
    if (this.isWritten) {
      this.isPlain = false
      this.end = stringEnd(body, this.end)
    }
    this.at = this.end + 1
    return this.end >= 0
  }

  #other(): boolean {
    this.start = this.at
    this.end = numberEnd(this.body, this.at)
    if (this.end < 0) {
      this.isPlain = false
      this.end = valueEnd(this.body, this.at)
    }
    this.at = this.end
    return this.end >= 0
  }

  #isWrittenName(name: Uint8Array): boolean {
    const { body, start, end } = this
    if (this.#name.length < end - start) this.#name = new Uint8Array(end - start)
    const length = putUnescaped(body, start, end, this.#name, 0)
    if (length !== name.length) return false
    for (let i = 0; i < length; i++) if (this.#name[i] !== name[i]) return false
    return true
  }

  #step(byte: number): boolean {
    this.at = spaceEnd(this.body, this.at)
    if (this.at >= this.body.length || this.body[this.at] !== byte) return false
    this.at++
    return true
  }
}

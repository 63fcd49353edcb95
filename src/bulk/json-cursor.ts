/** Steps through the plain part of JSON: objects, arrays, printable ASCII strings without escapes, whole numbers. */

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const COLON = 0x3a
const BACKSLASH = 0x5c

/** Bytes by class. */
const PLAIN = new Uint8Array(256)
for (let byte = 0x20; byte < 0x7f; byte++) PLAIN[byte] = byte === QUOTE || byte === BACKSLASH ? 0 : 1
const SPACE = new Uint8Array(256)
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) SPACE[byte] = 1

/** Every step returns false, and the whole body is given up, at the first byte that is not plain. */
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
    this.#skipSpace()
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
    const { body } = this
    this.start = this.at
    const first = body[this.at] === MINUS ? this.at + 1 : this.at
    let at = first
    while (at < body.length && body[at] >= 0x30 && body[at] <= 0x39) at++
    this.end = at
    this.at = at
    // JSON allows no leading zero; what follows the digits is checked by the next step.
    return at > first && (body[first] !== 0x30 || at === first + 1)
  }

  #step(byte: number): boolean {
    this.#skipSpace()
    if (this.body[this.at] !== byte) return false
    this.at++
    return true
  }

  #skipSpace(): void {
    const { body } = this
    let at = this.at
    // The bound first: a look-up by the `undefined` past the end makes V8 compile this one for any key, five times slower.
    while (at < body.length && SPACE[body[at]] === 1) at++
    this.at = at
  }
}

/** Where the printable ASCII without quotes and escapes that begins at `start` ends. */
export function plainEnd(body: Uint8Array, start: number): number {
  let at = start
  while (at < body.length && PLAIN[body[at]] === 1) at++
  return at
}

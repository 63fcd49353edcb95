/** Runs of bytes in plain JSON, for the scanners of single requests and of batches. */

export const QUOTE = 0x22
export const COMMA = 0x2c
export const MINUS = 0x2d
export const DIGIT_0 = 0x30
export const COLON = 0x3a
export const BRACKET_OPEN = 0x5b
export const BRACKET_CLOSE = 0x5d
export const BRACE_OPEN = 0x7b
export const BRACE_CLOSE = 0x7d

export const BACKSLASH = 0x5c

const DIGIT_9 = 0x39
/** Whole numbers of up to 15 digits are exact in a double, so their text is what `String` makes of them. */
const PLAIN_DIGITS_MAX = 15

const SPACE = new Uint8Array(256)
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) SPACE[byte] = 1

/** Bytes that a string may hold here: printable ASCII without quote and backslash. */
const PLAIN = new Uint8Array(256)
for (let byte = 0x20; byte < 0x7f; byte++) PLAIN[byte] = byte === QUOTE || byte === BACKSLASH ? 0 : 1

// Bounds are checked first: what is read past the end is `undefined`, and one look-up by that makes V8 compile all of them for
// any key, five times slower.

/** Where the white space that begins at `start` ends. */
export function spaceEnd(body: Uint8Array, start: number): number {
  let at = start
  while (at < body.length && SPACE[body[at]] === 1) at++
  return at
}

/** Where the printable ASCII without quotes and escapes that begins at `start` ends. */
export function plainEnd(body: Uint8Array, start: number): number {
  let at = start
  // Four at a time: two thirds of the time that a key of 44 bytes takes one by one.
  while (at + 3 < body.length && isPlain4(body, at)) at += 4
  while (at < body.length && PLAIN[body[at]] === 1) at++
  return at
}

function isPlain4(body: Uint8Array, at: number): boolean {
  return (PLAIN[body[at]] & PLAIN[body[at + 1]] & PLAIN[body[at + 2]] & PLAIN[body[at + 3]]) === 1
}

/** Where the digits that begin at `start`, perhaps after a minus, end. */
export function digitsEnd(body: Uint8Array, start: number): number {
  let at = body[start] === MINUS ? start + 1 : start
  while (at < body.length && body[at] >= DIGIT_0 && body[at] <= DIGIT_9) at++
  return at
}

/**
 * Where the whole number that begins at `start` ends; -1 when `String` would not write it as it stands, because it has a leading
 * zero or more than 15 digits or is `-0`. The caller refuses a fraction or an exponent after it.
 */
export function wholeNumberEnd(body: Uint8Array, start: number): number {
  const end = digitsEnd(body, start)
  const first = body[start] === MINUS ? start + 1 : start
  const digits = end - first
  if (digits < 1 || digits > PLAIN_DIGITS_MAX) return -1
  return body[first] !== DIGIT_0 || (digits === 1 && first === start) ? end : -1
}

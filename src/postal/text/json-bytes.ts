/** Runs of bytes in JSON, for the scanners of single requests and of batches. */

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
const LETTER_A = 0x61
const LETTER_Z = 0x7a
const LOWER = 0x20
const PLAIN_DIGITS_MAX = 15

const SPACE = new Uint8Array(256)
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) SPACE[byte] = 1

/** Bytes of a plain string: printable ASCII without quote and backslash. */
const PLAIN = new Uint8Array(256)
for (let byte = 0x20; byte < 0x7f; byte++) PLAIN[byte] = byte === QUOTE || byte === BACKSLASH ? 0 : 1

// A read past the end gives `undefined`, and one look-up by it slows all further ones in V8.

/** Returns the end of a byte order mark at the beginning of `body`; 0 without one. */
export function markEnd(body: Uint8Array): number {
  return body.length > 2 && body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
}

export function spaceEnd(body: Uint8Array, start: number): number {
  let at = start
  while (at < body.length && SPACE[body[at]] === 1) at++
  return at
}

/** Returns the end of a run of printable ASCII without quotes and escapes. */
export function plainEnd(body: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && PLAIN[body[at]] === 1) at++
  return at
}

function digitsEnd(body: Uint8Array, start: number): number {
  let at = start
  while (at < body.length && body[at] >= DIGIT_0 && body[at] <= DIGIT_9) at++
  return at
}

/** Returns the end of a whole number of up to 15 digits, not -0, without leading zeros; else -1. */
export function wholeNumberEnd(body: Uint8Array, start: number): number {
  const first = start < body.length && body[start] === MINUS ? start + 1 : start
  const end = digitsEnd(body, first)
  if (end === first || end - first > PLAIN_DIGITS_MAX) return -1
  const isZero = body[first] === DIGIT_0
  return isZero && (end > first + 1 || first > start) ? -1 : end
}

export function isLetter(byte: number): boolean {
  const lower = byte | LOWER
  return lower >= LETTER_A && lower <= LETTER_Z
}

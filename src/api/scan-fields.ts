/**
 * Finds the known fields of a flat JSON object in its bytes. It takes what nearly every client sends (plain ASCII strings
 * and whole numbers) and leaves everything else, right or wrong, to `JSON.parse`. What it takes, `JSON.parse` takes too and
 * reads the same; a property test holds both to that. A request read here costs no string and no object.
 */
import { ABSENT, FIELD_NAMES, type FieldSlots, NUMBER, STRING } from './field-slots.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const COLON = 0x3a
const BACKSLASH = 0x5c
const BRACE_OPEN = 0x7b
const BRACE_CLOSE = 0x7d

/** Whole numbers of up to 15 digits are exact in a double, so their text is what `String` makes of them. */
const PLAIN_DIGITS_MAX = 15

/** Bytes that a string may hold here: printable ASCII without quote and backslash. */
const PLAIN = new Uint8Array(256)
for (let byte = 0x20; byte < 0x7f; byte++) PLAIN[byte] = byte === QUOTE || byte === BACKSLASH ? 0 : 1

const SPACE = new Uint8Array(256)
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) SPACE[byte] = 1

const NAMES = FIELD_NAMES.map(name => Buffer.from(name))

/** Fills `fields` from `body`. False when the body has something that this scanner leaves to `JSON.parse`. */
export function scanFields(body: Uint8Array, fields: FieldSlots): boolean {
  const { kinds, starts, ends } = fields
  const end = body.length
  kinds.fill(ABSENT)
  let at = skipSpace(body, 0)
  if (body[at] !== BRACE_OPEN) return false
  do {
    at = skipSpace(body, at + 1)
    if (body[at] !== QUOTE) return false
    const nameStart = at + 1
    at = skipPlain(body, nameStart)
    if (at >= end || body[at] !== QUOTE) return false
    const field = fieldOf(body, nameStart, at - nameStart)
    at = skipSpace(body, at + 1)
    if (body[at] !== COLON) return false
    at = skipSpace(body, at + 1)
    const start = body[at] === QUOTE ? at + 1 : at
    const isString = start > at
    at = isString ? skipPlain(body, start) : skipDigits(body, start)
    if (at >= end || (isString ? body[at] !== QUOTE : !isPlainNumber(body, start, at))) return false
    if (field >= 0) {
      kinds[field] = isString ? STRING : NUMBER
      starts[field] = start
      ends[field] = at
    }
    at = skipSpace(body, isString ? at + 1 : at)
  } while (body[at] === COMMA)
  return body[at] === BRACE_CLOSE && skipSpace(body, at + 1) === end
}

// Bounds are checked first: past the end stands `undefined`, and one look-up by that makes V8 compile all of them for any key.

function skipSpace(body: Uint8Array, from: number): number {
  let at = from
  while (at < body.length && SPACE[body[at]] === 1) at++
  return at
}

function skipPlain(body: Uint8Array, from: number): number {
  let at = from
  while (at < body.length && PLAIN[body[at]] === 1) at++
  return at
}

function skipDigits(body: Uint8Array, from: number): number {
  let at = body[from] === MINUS ? from + 1 : from
  while (at < body.length && body[at] >= DIGIT_0 && body[at] <= DIGIT_9) at++
  return at
}

/** A whole number as JSON writes it and `String` writes it back: no leading zero, no `-0`, few enough digits. */
function isPlainNumber(body: Uint8Array, start: number, end: number): boolean {
  const first = body[start] === MINUS ? start + 1 : start
  const digits = end - first
  if (digits < 1 || digits > PLAIN_DIGITS_MAX) return false
  return body[first] !== DIGIT_0 || (digits === 1 && first === start)
}

/** Number of the field whose name is `body[start, start + length)`, or -1. */
function fieldOf(body: Uint8Array, start: number, length: number): number {
  for (let field = 0; field < NAMES.length; field++) {
    const name = NAMES[field]
    if (name.length !== length) continue
    let i = 0
    while (i < length && body[start + i] === name[i]) i++
    if (i === length) return field
  }
  return -1
}

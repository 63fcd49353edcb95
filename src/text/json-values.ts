/**
 * The grammar of JSON values (RFC 8259): where each ends, or that there is none. Nothing is made of them, so that a field that
 * nobody reads costs a nanosecond or two for each byte. Whether the bytes are UTF-8 is for the caller to check.
 */
import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COLON,
  COMMA,
  isHexDigit,
  numberEnd,
  plainEnd,
  QUOTE,
  spaceEnd,
} from './json-bytes.ts'

const LETTER_U = 0x75
/** Bytes of `\u004b`. */
const ESCAPE_BYTES = 6
const CONTROL_END = 0x20

/** Bytes that may follow a backslash, but for `u`. */
const ESCAPED = new Uint8Array(256)
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPED[byte] = 1

const LITERALS = ['null', 'true', 'false'].map(text => Buffer.from(text))

/** Which of the values that are open at a time are objects, the outermost first. Grows to the depth of the deepest body. */
let objects = new Uint8Array(256)

/** Where the string whose text begins at `start` has its closing quote; -1 when it has none or holds what no string may. */
export function stringEnd(body: Uint8Array, start: number): number {
  const { length } = body
  let at = plainEnd(body, start)
  while (at < length) {
    const byte = body[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) {
      at = escapeEnd(body, at)
      if (at < 0) return -1
    } else if (byte < CONTROL_END) return -1
    else at++
    // Other alphabets and escapes come in runs, plain text as well.
    if (at < length && body[at] < 0x7f) at = plainEnd(body, at)
  }
  return -1
}

/** Where the escape whose backslash is at `at` ends, or -1. */
function escapeEnd(body: Uint8Array, at: number): number {
  if (at + 1 >= body.length) return -1
  if (ESCAPED[body[at + 1]] === 1) return at + 2
  const end = at + ESCAPE_BYTES
  if (body[at + 1] !== LETTER_U || end > body.length) return -1
  for (let i = at + 2; i < end; i++) if (!isHexDigit(body[i])) return -1
  return end
}

/** Number of values that are open where `valueEnd` is. */
let depth = 0

/** Where the value that begins at `start` ends; -1 when there is none. */
export function valueEnd(body: Uint8Array, start: number): number {
  depth = 0
  let at = start
  do {
    if (at >= body.length) return -1
    const byte = body[at]
    if (byte !== BRACE_OPEN && byte !== BRACKET_OPEN) at = scalarEnd(body, at)
    else {
      const isObject = byte === BRACE_OPEN
      open(isObject)
      at = spaceEnd(body, at + 1)
      if (at >= body.length) return -1
      if (body[at] !== (isObject ? BRACE_CLOSE : BRACKET_CLOSE)) {
        if (isObject) at = memberValue(body, at)
        continue
      }
    }
    if (at >= 0) at = nextValue(body, at)
  } while (at >= 0 && depth > 0)
  return at
}

/** Where the next value begins after one that ends at `at`, or where the outermost ends; -1 when neither follows. */
function nextValue(body: Uint8Array, at: number): number {
  let next = at
  while (depth > 0) {
    next = spaceEnd(body, next)
    if (next >= body.length) return -1
    const isObject = objects[depth - 1] === 1
    if (body[next] === COMMA) {
      next = spaceEnd(body, next + 1)
      return isObject ? memberValue(body, next) : next
    }
    if (body[next] !== (isObject ? BRACE_CLOSE : BRACKET_CLOSE)) return -1
    next++
    depth--
  }
  return next
}

function open(isObject: boolean): void {
  if (depth === objects.length) {
    const deeper = new Uint8Array(2 * depth)
    deeper.set(objects)
    objects = deeper
  }
  objects[depth++] = isObject ? 1 : 0
}

/** Where the value of the member whose name begins at `at` begins, or -1. */
function memberValue(body: Uint8Array, at: number): number {
  if (at >= body.length || body[at] !== QUOTE) return -1
  const quote = stringEnd(body, at + 1)
  if (quote < 0) return -1
  const colon = spaceEnd(body, quote + 1)
  return colon < body.length && body[colon] === COLON ? spaceEnd(body, colon + 1) : -1
}

/** Where the string, number or literal that begins at `at` ends, or -1. */
function scalarEnd(body: Uint8Array, at: number): number {
  if (body[at] === QUOTE) {
    const quote = stringEnd(body, at + 1)
    return quote < 0 ? -1 : quote + 1
  }
  const end = numberEnd(body, at)
  return end < 0 ? literalEnd(body, at) : end
}

function literalEnd(body: Uint8Array, at: number): number {
  for (const literal of LITERALS) {
    let same = 0
    while (same < literal.length && at + same < body.length && body[at + same] === literal[same]) same++
    if (same === literal.length) return at + same
  }
  return -1
}

/** Skips a byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true })

/** The object that `body` is, as `JSON.parse` reads it; undefined when it is not a JSON object in valid UTF-8. */
export function parsedObject(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed = JSON.parse(decoder.decode(body))
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

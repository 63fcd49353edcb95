/**
 * Finds the known fields of a flat JSON object in its bytes. It takes what nearly every client sends (plain ASCII strings
 * and whole numbers) and leaves everything else, right or wrong, to `JSON.parse`. What it takes, `JSON.parse` takes too and
 * reads the same; a property test holds both to that. A request read here costs no string and no object.
 */
import {
  BRACE_CLOSE,
  BRACE_OPEN,
  COLON,
  COMMA,
  DIGIT_0,
  digitsEnd,
  MINUS,
  plainEnd,
  QUOTE,
  spaceEnd,
} from '../../text/json-bytes.ts'
import { ABSENT, FIELD_NAMES, type FieldSlots, NUMBER, STRING } from './field-slots.ts'

/** Whole numbers of up to 15 digits are exact in a double, so their text is what `String` makes of them. */
const PLAIN_DIGITS_MAX = 15

const NAMES = FIELD_NAMES.map(name => Buffer.from(name))

/** Fills `fields` from `body`. False when the body has something that this scanner leaves to `JSON.parse`. */
export function scanFields(body: Uint8Array, fields: FieldSlots): boolean {
  const { kinds, starts, ends } = fields
  const end = body.length
  kinds.fill(ABSENT)
  let at = spaceEnd(body, 0)
  if (body[at] !== BRACE_OPEN) return false
  do {
    at = spaceEnd(body, at + 1)
    if (body[at] !== QUOTE) return false
    const nameStart = at + 1
    at = plainEnd(body, nameStart)
    if (at >= end || body[at] !== QUOTE) return false
    const field = fieldOf(body, nameStart, at - nameStart)
    at = spaceEnd(body, at + 1)
    if (body[at] !== COLON) return false
    at = spaceEnd(body, at + 1)
    const start = body[at] === QUOTE ? at + 1 : at
    const isString = start > at
    at = isString ? plainEnd(body, start) : digitsEnd(body, start)
    if (at >= end || (isString ? body[at] !== QUOTE : !isPlainNumber(body, start, at))) return false
    if (field >= 0) {
      kinds[field] = isString ? STRING : NUMBER
      starts[field] = start
      ends[field] = at
    }
    at = spaceEnd(body, isString ? at + 1 : at)
  } while (body[at] === COMMA)
  return body[at] === BRACE_CLOSE && spaceEnd(body, at + 1) === end
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

/**
 * Finds the known fields of a JSON object in its bytes. What nearly every client sends, plain ASCII strings and whole numbers, is
 * read in line; escapes, other alphabets, nesting and other numbers are left to `json-values.ts`. It takes what `JSON.parse`
 * takes and reads the same; a property test holds it to that. A request read here costs no string and no object.
 */
import { isUtf8 } from 'node:buffer'
import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  COLON,
  COMMA,
  isPlainNumber,
  numberEnd,
  plainEnd,
  QUOTE,
  spaceEnd,
} from '../../text/json-bytes.ts'
import { putUnescaped } from '../../text/json-escapes.ts'
import { stringEnd, valueEnd } from '../../text/json-values.ts'
import { ABSENT, FIELD_NAMES, type FieldSlots, NUMBER, OTHER, STRING } from './field-slots.ts'

const SPACE = 0x20
const NULL = Buffer.from('null')
/** Each with its closing quote. */
const NAMES = FIELD_NAMES.map(name => Buffer.from(`${name}"`))
/** The one field whose name may begin with two bytes of this sum, or -1: no two fields have the same sum. */
const FIELD_OF_SUM = new Int8Array(2 * 256).fill(-1)
NAMES.forEach((name, field) => {
  FIELD_OF_SUM[name[0] + name[1]] = field
})
/** The most bytes that the name of a field takes, every character of it escaped: `\u0061`. */
const NAME_BYTES_MAX = 6 * Math.max(...FIELD_NAMES.map(name => name.length))
const unescaped = new Uint8Array(NAME_BYTES_MAX + 1)

/** What `scanFields` returns for a body that is not an object of JSON. */
export const MALFORMED = -1

/**
 * Fills `fields` from `body`.
 * @returns `MALFORMED`, or a bit for each field whose text differs from its bytes in the body: a string with escapes, or a number
 * that is not plain. It is 0 for nearly every body
 */
export function scanFields(body: Uint8Array, { kinds, starts, ends }: FieldSlots): number {
  const end = body.length
  for (let field = 0; field < NAMES.length; field++) kinds[field] = ABSENT
  let different = 0
  let isPlain = true
  let at = tokenAt(body, 0)
  if (at >= end || body[at] !== BRACE_OPEN) return MALFORMED
  const first = tokenAt(body, at + 1)
  if (first < end && body[first] === BRACE_CLOSE) return spaceEnd(body, first + 1) === end ? 0 : MALFORMED
  do {
    at = tokenAt(body, at + 1)
    if (at >= end || body[at] !== QUOTE) return MALFORMED
    const nameStart = at + 1
    let field = fieldAt(body, nameStart)
    at = field >= 0 ? at + NAMES[field].length : plainEnd(body, nameStart)
    if (at >= end || body[at] !== QUOTE) {
      at = stringEnd(body, at)
      if (at < 0) return MALFORMED
      isPlain = false
      field = writtenField(body, nameStart, at)
    }
    at = tokenAt(body, at + 1)
    if (at >= end || body[at] !== COLON) return MALFORMED
    at = tokenAt(body, at + 1)
    if (at >= end) return MALFORMED
    let kind = STRING
    let isDifferent = false
    let start = at
    if (body[at] === QUOTE) {
      start = at + 1
      at = plainEnd(body, start)
      if (at >= end || body[at] !== QUOTE) {
        at = stringEnd(body, at)
        if (at < 0) return MALFORMED
        isPlain = false
        isDifferent = hasEscape(body, start, at)
      }
    } else {
      at = numberEnd(body, start)
      if (at >= 0) {
        kind = NUMBER
        isDifferent = !isPlainNumber(body, start, at)
      } else {
        kind = isNull(body, start) ? ABSENT : OTHER
        at = kind === ABSENT ? start + NULL.length : valueEnd(body, start)
        if (at < 0) return MALFORMED
        if (kind === OTHER) isPlain = false
      }
    }
    if (field >= 0) {
      kinds[field] = kind
      starts[field] = start
      ends[field] = at
      if (isDifferent) different |= 1 << field
      else if (different !== 0) different &= ~(1 << field)
    }
    at = tokenAt(body, kind === STRING ? at + 1 : at)
  } while (at < end && body[at] === COMMA)
  if (at >= end || body[at] !== BRACE_CLOSE || spaceEnd(body, at + 1) !== end) return MALFORMED
  return isPlain || isUtf8(body) ? different : MALFORMED
}

/** `spaceEnd`, for places that mostly have no space. */
function tokenAt(body: Uint8Array, at: number): number {
  return at < body.length && body[at] > SPACE ? at : spaceEnd(body, at)
}

/** Whether a `null`, which counts as absent, stands at `at`. What follows it is for the next step to check. */
function isNull(body: Uint8Array, at: number): boolean {
  if (body[at] !== NULL[0] || at + NULL.length > body.length) return false
  for (let i = 1; i < NULL.length; i++) if (body[at + i] !== NULL[i]) return false
  return true
}

/** Number of the field whose name, with its closing quote, is at `at`; -1: of none. */
function fieldAt(body: Uint8Array, at: number): number {
  if (at + 1 >= body.length) return -1
  const field = FIELD_OF_SUM[body[at] + body[at + 1]]
  if (field < 0) return -1
  const name = NAMES[field]
  if (at + name.length > body.length) return -1
  for (let i = 0; i < name.length; i++) if (body[at + i] !== name[i]) return -1
  return field
}

/** Number of the field whose name is the JSON string `body[start, end)`, which is not plain; -1: of none. */
function writtenField(body: Uint8Array, start: number, end: number): number {
  if (end - start > NAME_BYTES_MAX) return -1
  unescaped[putUnescaped(body, start, end, unescaped, 0)] = QUOTE
  return fieldAt(unescaped, 0)
}

function hasEscape(body: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (body[at] === BACKSLASH) return true
  return false
}

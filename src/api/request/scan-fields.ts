/**
 * Finds the known fields of a flat JSON object in its bytes. It takes what nearly every client sends (plain ASCII strings,
 * whole numbers and null) and leaves everything else, right or wrong, to `JSON.parse`. What it takes, `JSON.parse` takes too and
 * reads the same; a property test holds both to that. A request read here costs no string and no object.
 */
import {
  BRACE_CLOSE,
  BRACE_OPEN,
  COLON,
  COMMA,
  plainEnd,
  QUOTE,
  spaceEnd,
  wholeNumberEnd,
} from '../../text/json-bytes.ts'
import { ABSENT, FIELD_NAMES, type FieldSlots, NUMBER, STRING } from './field-slots.ts'

const SPACE = 0x20
const NULL = Buffer.from('null')
/** Each with its closing quote. */
const NAMES = FIELD_NAMES.map(name => Buffer.from(`${name}"`))
/** The one field whose name may begin with two bytes of this sum, or -1: no two fields have the same sum. */
const FIELD_OF_SUM = new Int8Array(2 * 256).fill(-1)
NAMES.forEach((name, field) => {
  FIELD_OF_SUM[name[0] + name[1]] = field
})

/** Fills `fields` from `body`. False when the body has something that this scanner leaves to `JSON.parse`. */
export function scanFields(body: Uint8Array, fields: FieldSlots): boolean {
  const { kinds, starts, ends } = fields
  const end = body.length
  for (let field = 0; field < NAMES.length; field++) kinds[field] = ABSENT
  let at = tokenAt(body, 0)
  if (at >= end || body[at] !== BRACE_OPEN) return false
  do {
    at = tokenAt(body, at + 1)
    if (at >= end || body[at] !== QUOTE) return false
    const field = fieldAt(body, at + 1)
    at = field >= 0 ? at + NAMES[field].length : plainEnd(body, at + 1)
    if (at >= end || body[at] !== QUOTE) return false
    at = tokenAt(body, at + 1)
    if (at >= end || body[at] !== COLON) return false
    at = tokenAt(body, at + 1)
    if (at >= end) return false
    if (isNull(body, at)) {
      if (field >= 0) kinds[field] = ABSENT
      at = tokenAt(body, at + NULL.length)
      continue
    }
    const isString = body[at] === QUOTE
    const start = isString ? at + 1 : at
    at = isString ? plainEnd(body, start) : wholeNumberEnd(body, start)
    if (at < 0 || at >= end || (isString && body[at] !== QUOTE)) return false
    if (field >= 0) {
      kinds[field] = isString ? STRING : NUMBER
      starts[field] = start
      ends[field] = at
    }
    at = tokenAt(body, isString ? at + 1 : at)
  } while (at < end && body[at] === COMMA)
  return at < end && body[at] === BRACE_CLOSE && spaceEnd(body, at + 1) === end
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

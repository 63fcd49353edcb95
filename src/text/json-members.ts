/**
 * Finds the members of a JSON object that have known names. What nearly every client sends, plain ASCII strings and whole numbers, is
 * read in line; escapes, other alphabets, nesting and other numbers are left to `json-values.ts`. An object read here costs no
 * string and no object of ours.
 */
import {
  BACKSLASH,
  BRACE_CLOSE,
  COLON,
  COMMA,
  isPlainNumber,
  numberEnd,
  plainEnd,
  QUOTE,
  spaceEnd,
} from './json-bytes.ts'
import { putUnescaped } from './json-escapes.ts'
import { stringEnd, valueEnd } from './json-values.ts'

/** The kind of a member's value. A null counts as absent; `OTHER` is any other value but a string or a number. */
export const ABSENT = 0
export const STRING = 1
export const NUMBER = 2
export const OTHER = 3

/** For each known name, by number: the kind of its value, and where that begins and ends, a string without its quotes. */
export interface MemberSlots {
  readonly kinds: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** A bit for each value that its bytes are not the text of: a string with escapes, a number that `String` writes in another way. */
  different: number
  /** Whether the object is printable ASCII without nesting. Otherwise the caller must check that it is UTF-8. */
  isPlain: boolean
}

const SPACE = 0x20
const NULL = Buffer.from('null')
/** Of `\u0061`. */
const ESCAPE_BYTES = 6

/** Names that are looked for, none of more than `NAME_LENGTH_MAX` letters. */
export class MemberNames {
  /** Each with its closing quote. */
  readonly bytes: readonly Uint8Array[]
  /** The one name that may begin with two bytes of this sum, or -1: no two of them have the same sum. */
  readonly ofSum: Int8Array = new Int8Array(2 * 256).fill(-1)

  constructor(names: readonly string[]) {
    this.bytes = names.map(name => Buffer.from(`${name}"`))
    this.bytes.forEach((name, number) => {
      this.ofSum[name[0] + name[1]] = number
    })
  }
}

const NAME_LENGTH_MAX = 16
const unescaped = new Uint8Array(NAME_LENGTH_MAX * ESCAPE_BYTES + 1)

/**
 * Fills `slots` with the members of the object whose members begin at `start`, after its brace; of several with one name the last
 * counts, as for `JSON.parse`.
 * @returns where the object ends, after its closing brace; -1 when it is malformed
 */
export function scanMembers(body: Uint8Array, start: number, names: MemberNames, slots: MemberSlots): number {
  const { kinds, starts, ends } = slots
  const end = body.length
  for (let number = 0; number < kinds.length; number++) kinds[number] = ABSENT
  let different = 0
  let isPlain = true
  slots.different = 0
  slots.isPlain = true
  let at = tokenAt(body, start)
  if (at < end && body[at] === BRACE_CLOSE) return at + 1
  for (;;) {
    if (at >= end || body[at] !== QUOTE) return -1
    const nameStart = at + 1
    let number = numberOf(body, nameStart, names)
    at = number >= 0 ? at + names.bytes[number].length : plainEnd(body, nameStart)
    if (at >= end || body[at] !== QUOTE) {
      at = stringEnd(body, at)
      if (at < 0) return -1
      isPlain = false
      number = numberOfWritten(body, nameStart, at, names)
    }
    at = tokenAt(body, at + 1)
    if (at >= end || body[at] !== COLON) return -1
    at = tokenAt(body, at + 1)
    if (at >= end) return -1
    let kind = STRING
    let isDifferent = false
    let valueStart = at
    if (body[at] === QUOTE) {
      valueStart = at + 1
      at = plainEnd(body, valueStart)
      if (at >= end || body[at] !== QUOTE) {
        at = stringEnd(body, at)
        if (at < 0) return -1
        isPlain = false
        isDifferent = number >= 0 && hasEscape(body, valueStart, at)
      }
    } else {
      at = numberEnd(body, valueStart)
      if (at >= 0) {
        kind = NUMBER
        isDifferent = number >= 0 && !isPlainNumber(body, valueStart, at)
      } else {
        kind = isNull(body, valueStart) ? ABSENT : OTHER
        at = kind === ABSENT ? valueStart + NULL.length : valueEnd(body, valueStart)
        if (at < 0) return -1
        if (kind === OTHER) isPlain = false
      }
    }
    if (number >= 0) {
      kinds[number] = kind
      starts[number] = valueStart
      ends[number] = at
      if (isDifferent) different |= 1 << number
      else if (different !== 0) different &= ~(1 << number)
    }
    at = tokenAt(body, kind === STRING ? at + 1 : at)
    if (at >= end || body[at] !== COMMA) break
    at = tokenAt(body, at + 1)
  }
  slots.different = different
  slots.isPlain = isPlain
  return at < end && body[at] === BRACE_CLOSE ? at + 1 : -1
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

/** Number of the name that stands, with its closing quote, at `at`; -1: of none. */
function numberOf(body: Uint8Array, at: number, names: MemberNames): number {
  if (at + 1 >= body.length) return -1
  const number = names.ofSum[body[at] + body[at + 1]]
  if (number < 0) return -1
  const name = names.bytes[number]
  if (at + name.length > body.length) return -1
  for (let i = 0; i < name.length; i++) if (body[at + i] !== name[i]) return -1
  return number
}

/** Number of the name that is the JSON string `body[start, end)`, which is not plain; -1: of none. */
function numberOfWritten(body: Uint8Array, start: number, end: number, names: MemberNames): number {
  if (end - start >= unescaped.length) return -1
  unescaped[putUnescaped(body, start, end, unescaped, 0)] = QUOTE
  return numberOf(unescaped, 0, names)
}

function hasEscape(body: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (body[at] === BACKSLASH) return true
  return false
}

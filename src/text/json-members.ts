/**
 * Finds the members of a JSON object that have known names. What nearly every client sends, plain ASCII strings and whole numbers, is
 * read in line; escapes, other alphabets, nesting and other numbers are left to `json-values.ts`. An object read here costs no
 * string and no object of ours.
 */
import { asciiBytes, utf8Text } from './bytes.ts'
import {
  BACKSLASH,
  BRACE_CLOSE,
  COLON,
  COMMA,
  isPlainNumber,
  numberEnd,
  plainEndInWords,
  QUOTE,
  spaceEnd,
} from './json-bytes.ts'
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
  /** True if the object is printable ASCII without nesting. Otherwise the caller must check that it is UTF-8. */
  isPlain: boolean
  /** Reads a value of `number` that begins at `start` and is neither text, number nor null. Returns where it ends, or -1. */
  readOther?(number: number, start: number): number
}

/** Slots for `names`, to be used again for each object. */
export function slotsFor({ length }: MemberNames, readOther?: MemberSlots['readOther']): MemberSlots {
  return {
    kinds: new Uint8Array(length),
    starts: new Uint32Array(length),
    ends: new Uint32Array(length),
    different: 0,
    isPlain: true,
    readOther,
  }
}

const encoder = new TextEncoder()

/** The text of the JSON string `body[start, end)`, which `stringEnd` has accepted, without its escapes. */
export function unescaped(body: Uint8Array, start: number, end: number): Uint8Array {
  return encoder.encode(JSON.parse(`"${utf8Text(body, start, end)}"`))
}

/** The text of a member, without its escapes; nothing when it is no text. May be a view of `body`. */
export function textOf(body: Uint8Array, slots: MemberSlots, number: number): Uint8Array {
  const { kinds, starts, ends, different } = slots
  if (kinds[number] !== STRING) return new Uint8Array(0)
  if ((different & (1 << number)) === 0) return body.subarray(starts[number], ends[number])
  return unescaped(body, starts[number], ends[number])
}

const SPACE = 0x20
const NULL = Buffer.from('null')
/** Bytes of `\u0061`. */
const ESCAPE_BYTES = 6
const NAME_LENGTH_MAX = 16

/** Bytes of the names that are looked for. */
export type MemberNames = readonly Uint8Array[]

/** @param names ASCII, none of more than `NAME_LENGTH_MAX` letters */
export function memberNames(...names: readonly string[]): MemberNames {
  return names.map(asciiBytes)
}

/**
 * Fills `slots` with the members of the object whose members begin at `start`, after its brace; of several with one name the last
 * counts, as for `JSON.parse`.
 * @param view shows the bytes of `body`, at the same offsets, and perhaps more after them
 * @returns where the object ends, after its closing brace; -1 when it is malformed
 */
export function scanMembers(
  body: Uint8Array,
  view: DataView,
  start: number,
  names: MemberNames,
  slots: MemberSlots,
): number {
  const { kinds, starts, ends } = slots
  // As 32 bits: V8 compares offsets with a length, which may be larger, as doubles.
  const end = body.length | 0
  for (let number = 0; number < names.length; number++) kinds[number] = ABSENT
  let different = 0
  let isPlain = true
  slots.different = 0
  slots.isPlain = true
  let at = tokenAt(body, start)
  if (at < end && body[at] === BRACE_CLOSE) return at + 1
  for (;;) {
    if (at >= end || body[at] !== QUOTE) return -1
    const nameStart = at + 1
    let number = -1
    at = plainEndInWords(view, nameStart, end)
    if (at < end && body[at] === QUOTE) number = numberOf(body, nameStart, at, names)
    else {
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
      at = plainEndInWords(view, valueStart, end)
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
        if (kind === ABSENT) at = valueStart + NULL.length
        else {
          at =
            number >= 0 && slots.readOther !== undefined
              ? slots.readOther(number, valueStart)
              : valueEnd(body, valueStart)
          if (at < 0) return -1
          isPlain = false
        }
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

/** Returns true if a `null`, which counts as absent, stands at `at`. What follows it is for the next step to check. */
function isNull(body: Uint8Array, at: number): boolean {
  if (body[at] !== NULL[0] || at + NULL.length > body.length) return false
  for (let i = 1; i < NULL.length; i++) if (body[at + i] !== NULL[i]) return false
  return true
}

/** Number of the name that `body[start, end)` is; -1: of none. */
function numberOf(body: Uint8Array, start: number, end: number, names: MemberNames): number {
  for (let number = 0; number < names.length; number++) {
    const name = names[number]
    if (name.length !== end - start) continue
    let same = 0
    while (same < name.length && body[start + same] === name[same]) same++
    if (same === name.length) return number
  }
  return -1
}

/** Number of the name that is the JSON string `body[start, end)`, which is not plain; -1: of none. */
function numberOfWritten(body: Uint8Array, start: number, end: number, names: MemberNames): number {
  if (end - start > NAME_LENGTH_MAX * ESCAPE_BYTES) return -1
  const name = unescaped(body, start, end)
  return numberOf(name, 0, name.length, names)
}

function hasEscape(body: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (body[at] === BACKSLASH) return true
  return false
}

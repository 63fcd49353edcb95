/**
 * Reads JSON of the usual form from its bytes: printable ASCII without escapes, whole numbers. It allocates
 * nothing. `parsedObject` reads all other objects.
 */
import { asciiBytes } from './bytes.ts'

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
const PLAIN_DIGITS_MAX = 15

const IS_SPACE = new Uint8Array(256)
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) IS_SPACE[byte] = 1

/** Bytes of a plain string: printable ASCII without quote and backslash. */
const IS_PLAIN = new Uint8Array(256)
for (let byte = 0x20; byte < 0x7f; byte++) IS_PLAIN[byte] = byte === QUOTE || byte === BACKSLASH ? 0 : 1

// A read past the end gives `undefined`, and one look-up by it slows all further ones in V8.

export function spaceEnd(body: Uint8Array, start: number): number {
  let at = start
  while (at < body.length && IS_SPACE[body[at]] === 1) at++
  return at
}

/** Returns the end of a run of printable ASCII without quotes and escapes. */
function plainEnd(body: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && IS_PLAIN[body[at]] === 1) at++
  return at
}

/** Returns the end of a whole number of up to 15 digits, not -0, without leading zeros; else -1. */
function wholeNumberEnd(body: Uint8Array, start: number): number {
  const first = start < body.length && body[start] === MINUS ? start + 1 : start
  let end = first
  while (end < body.length && body[end] >= DIGIT_0 && body[end] <= DIGIT_9) end++
  if (end === first || end - first > PLAIN_DIGITS_MAX) return -1
  const isZero = body[first] === DIGIT_0
  return isZero && (end > first + 1 || first > start) ? -1 : end
}

/** Kind of a missing or null member. */
export const ABSENT = 0
export const STRING = 1
export const NUMBER = 2
/** Kind of a value read by `MemberSlots.readNested`. */
export const READ = 3
export const OTHER = 4

/** Kind, start and end of the value of each known name, by number. A string is without its quotes. */
export interface MemberSlots {
  readonly kinds: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Reads an array or object at `start`, the value of `number`. Returns its end, or -1. */
  readNested?(number: number, start: number): number
}

/** Names of printable ASCII without quotes and backslashes. */
export type MemberNames = readonly Uint8Array[]

export function memberNames(...names: readonly string[]): MemberNames {
  return names.map(asciiBytes)
}

export function slotsFor({ length }: MemberNames, readNested?: MemberSlots['readNested']): MemberSlots {
  return {
    kinds: new Uint8Array(length),
    starts: new Uint32Array(length),
    ends: new Uint32Array(length),
    readNested,
  }
}

const SPACE = 0x20
const LETTER_N = 0x6e
const LITERALS = ['null', 'true', 'false'].map(asciiBytes)

/** Fills `slots` with the members of a whole body. Returns false unless it is one object of the usual form. */
export function scanObject(body: Uint8Array, names: MemberNames, slots: MemberSlots): boolean {
  const hasMark = body.length > 2 && body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
  const brace = spaceEnd(body, hasMark ? 3 : 0)
  if (brace >= body.length || body[brace] !== BRACE_OPEN) return false
  const end = scanMembers(body, brace + 1, names, slots)
  return end >= 0 && spaceEnd(body, end) === body.length
}

/**
 * Fills `slots` with the members of an object. The last of several with one name counts.
 * @param start offset after the opening brace
 * @returns the offset after the closing brace; -1 if the object is malformed or unusual
 */
export function scanMembers(body: Uint8Array, start: number, names: MemberNames, slots: MemberSlots): number {
  const { kinds, starts, ends } = slots
  // A 32-bit integer: V8 would compare offsets with the length as doubles.
  const end = body.length | 0
  for (let number = 0; number < names.length; number++) kinds[number] = ABSENT
  let at = tokenAt(body, start)
  if (at < end && body[at] === BRACE_CLOSE) return at + 1
  for (;;) {
    if (at >= end || body[at] !== QUOTE) return -1
    const nameStart = at + 1
    const number = memberNumberAt(body, nameStart, names)
    at = number < 0 ? plainEnd(body, nameStart, end) : nameStart + names[number].length
    if (at >= end || body[at] !== QUOTE) return -1
    at = tokenAt(body, at + 1)
    if (at >= end || body[at] !== COLON) return -1
    at = tokenAt(body, at + 1)
    if (at >= end) return -1
    let kind = STRING
    let valueStart = at
    if (body[at] === QUOTE) {
      valueStart = at + 1
      at = plainEnd(body, valueStart, end)
      if (at >= end || body[at] !== QUOTE) return -1
    } else {
      at = wholeNumberEnd(body, valueStart)
      if (at >= 0) kind = NUMBER
      else {
        at = literalEnd(body, valueStart)
        kind = body[valueStart] === LETTER_N ? ABSENT : OTHER
        if (at < 0 && number >= 0 && slots.readNested !== undefined) {
          at = slots.readNested(number, valueStart)
          kind = READ
        }
        if (at < 0) return -1
      }
    }
    if (number >= 0) {
      kinds[number] = kind
      starts[number] = valueStart
      ends[number] = at
    }
    at = tokenAt(body, kind === STRING ? at + 1 : at)
    if (at >= end || body[at] !== COMMA) break
    at = tokenAt(body, at + 1)
  }
  return at < end && body[at] === BRACE_CLOSE ? at + 1 : -1
}

/** Returns `spaceEnd`, faster where there is mostly no space. */
function tokenAt(body: Uint8Array, at: number): number {
  return at < body.length && body[at] > SPACE ? at : spaceEnd(body, at)
}

/** Returns the end of the `null`, `true` or `false` at `at`, or -1. The caller checks the next byte. */
function literalEnd(body: Uint8Array, at: number): number {
  const literal = LITERALS.find(each => isAt(body, at, each))
  return literal === undefined ? -1 : at + literal.length
}

/** Returns the number of the name that ends in a quote at `start`; -1 for an unknown one. */
function memberNumberAt(body: Uint8Array, start: number, names: MemberNames): number {
  for (let number = 0; number < names.length; number++)
    if (isAt(body, start, names[number]) && body[start + names[number].length] === QUOTE) return number
  return -1
}

function isAt(body: Uint8Array, at: number, text: Uint8Array): boolean {
  if (at + text.length > body.length) return false
  let same = 0
  while (same < text.length && body[at + same] === text[same]) same++
  return same === text.length
}

/** Decoder that skips a byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Parses `body`; undefined unless it is a JSON object in valid UTF-8. */
export function parsedObject(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed = JSON.parse(decoder.decode(body))
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

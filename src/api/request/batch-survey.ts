/**
 * What must be known of a large batch before any of its records is read: whose it is, and how many records it has. One pass
 * over the structure of the JSON, which reads no value but the key: one to three nanoseconds for each byte. It covers all of the
 * body, because a key that is not found would be reported as missing although it is there.
 */
import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COLON,
  COMMA,
  DIGIT_0,
  plainEnd,
  QUOTE,
  spaceEnd,
} from '../../text/json-bytes.ts'

const API_KEY = Buffer.from('apiKey')
const RECORDS = Buffer.from('records')
/** A key that comes first stands within these bytes. */
const FIRST_WITHIN_BYTES = 256
/** Of `\u004b`. */
const ESCAPE_BYTES = 6
const LETTER_U = 0x75
const LETTER_A = 0x41
const LETTER_A_LOWER = 0x61

/** `body[start, end)`, without its quotes. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface BatchSurvey {
  /** The string of the last `apiKey` of the outer object, which is the one that `JSON.parse` takes; undefined: none. */
  readonly apiKey: Span | undefined
  /** Elements of its last `records`; 0 when that is missing, empty or not an array. */
  readonly records: number
}

/**
 * The string that follows the first or, with `last`, the last `"apiKey"` of `body`, at whatever depth; undefined when there
 * is none. Nearly every client writes its key first or last, so that one of the two costs less than a microsecond.
 */
export function nearKey(body: Uint8Array, last: boolean): Span | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const found = last
    ? bytes.lastIndexOf('"apiKey"', undefined, 'latin1')
    : bytes.subarray(0, FIRST_WITHIN_BYTES).indexOf('"apiKey"', 0, 'latin1')
  if (found < 0) return undefined
  const colon = spaceEnd(body, found + API_KEY.length + 2)
  if (body[colon] !== COLON) return undefined
  const quote = spaceEnd(body, colon + 1)
  if (body[quote] !== QUOTE) return undefined
  return { start: quote + 1, end: plainEnd(body, quote + 1) }
}

/** What a byte outside of strings means to the survey. A table, because a `switch` over the bytes takes three times as long. */
const KINDS = new Uint8Array(256)
const STRING = 1
const OPEN = 2
const CLOSE = 3
const AFTER_NAME = 4
const NEXT = 5
KINDS[QUOTE] = STRING
KINDS[BRACE_OPEN] = KINDS[BRACKET_OPEN] = OPEN
KINDS[BRACE_CLOSE] = KINDS[BRACKET_CLOSE] = CLOSE
KINDS[COLON] = AFTER_NAME
KINDS[COMMA] = NEXT

/**
 * Surveys `body`; undefined when it is not an object. What is not JSON farther on gives some answer, not an error.
 */
export function surveyBatch(body: Uint8Array): BatchSurvey | undefined {
  const first = spaceEnd(body, 0)
  if (body[first] !== BRACE_OPEN) return undefined
  let apiKey: Span | undefined
  let records = 0
  let depth = 1
  /** The name of the outer object's present member, as one of the two; undefined: any other. */
  let member: Uint8Array | undefined
  let isName = true
  let isCounting = false
  const end = body.length
  for (let at = first + 1; at < end && depth > 0; at++) {
    const kind = KINDS[body[at]]
    if (kind === 0) continue
    if (kind === STRING) {
      const start = at + 1
      at = stringEnd(body, start, end)
      if (depth !== 1) continue
      if (isName) {
        member = memberOf(body, start, at)
        if (member === API_KEY) apiKey = undefined
        if (member === RECORDS) records = 0
      } else if (member === API_KEY) apiKey = { start, end: at }
    } else if (kind === OPEN) {
      depth++
      if (depth !== 2) continue
      isCounting = member === RECORDS && body[at] === BRACKET_OPEN
      if (isCounting && body[spaceEnd(body, at + 1)] !== BRACKET_CLOSE) records = 1
    } else if (kind === CLOSE) depth--
    else if (depth === 1) isName = kind === NEXT
    else if (depth === 2 && isCounting && kind === NEXT) records++
  }
  return { apiKey, records }
}

/** Bytes that neither end a string nor escape what follows. */
const IN_STRING = new Uint8Array(256).fill(1)
IN_STRING[QUOTE] = IN_STRING[BACKSLASH] = 0

/** Bytes after which the rest of a string is read four at a time: most strings are shorter. */
const SHORT_BYTES = 8

/** Where the string that begins at `start` has its closing quote, or about `end`. By bytes: escapes and other alphabets must cost no more. */
function stringEnd(body: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end) {
    const near = at + SHORT_BYTES
    while (at < end && at < near && IN_STRING[body[at]] === 1) at++
    if (at === near) while (at + 3 < end && isInString4(body, at)) at += 4
    if (at >= end || body[at] === QUOTE) return at
    at += body[at] === BACKSLASH ? 2 : 1
  }
  return at
}

function isInString4(body: Uint8Array, at: number): boolean {
  return (
    (IN_STRING[body[at]] & IN_STRING[body[at + 1]] & IN_STRING[body[at + 2]] & IN_STRING[body[at + 3]]) === 1
  )
}

function memberOf(body: Uint8Array, start: number, end: number): Uint8Array | undefined {
  // Nearly all other names end here or at their first letter.
  if (end - start < API_KEY.length) return undefined
  const first = body[start] === BACKSLASH ? escapedByte(body, start) : body[start]
  const name = first === API_KEY[0] ? API_KEY : RECORDS
  return first === name[0] && spells(body, start, end, name) ? name : undefined
}

/** Whether the JSON string `body[start, end)` is `name`, perhaps with `\u` escapes: `api\u004bey`. */
function spells(body: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  let at = start
  for (let i = 0; i < name.length; i++) {
    if (body[at] === name[i]) at++
    else if (at + ESCAPE_BYTES <= end && escapedByte(body, at) === name[i]) at += ESCAPE_BYTES
    else return false
  }
  return at === end
}

/** The character up to U+00FF that the escape at `at` stands for; something else than a letter when there is no escape. */
function escapedByte(body: Uint8Array, at: number): number {
  const isEscape =
    body[at] === BACKSLASH &&
    body[at + 1] === LETTER_U &&
    body[at + 2] === DIGIT_0 &&
    body[at + 3] === DIGIT_0
  return isEscape ? hexDigit(body[at + 4]) * 16 + hexDigit(body[at + 5]) : -1
}

function hexDigit(byte: number): number {
  return byte < LETTER_A ? byte - DIGIT_0 : (byte | 0x20) - LETTER_A_LOWER + 10
}

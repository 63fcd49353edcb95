/**
 * What must be known of a large batch before any of its records is read: whose it is, and how many records it has. One pass
 * over the structure of the JSON, which reads no value but the key: one to four nanoseconds for each byte. It covers all of the
 * body, because a key that is not found would be reported as missing although it is there. The pass can be made in pieces, so
 * that a stranger's megabyte holds up nobody.
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
/** A key that comes first stands within these bytes, and one that comes last within more: small members may follow it. */
const FIRST_WITHIN_BYTES = 256
const LAST_WITHIN_BYTES = 4096
/** A key, and generous white space before it. */
const KEY_WITHIN_BYTES = 256
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
 * The string after the first `"apiKey"` near the start of `body` or, with `last`, after the last one near its end, at whatever
 * depth; undefined when there is none. Nearly every client writes its key first or last, so that one of the two costs less than
 * a microsecond.
 */
export function nearKey(body: Uint8Array, last: boolean): Span | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const from = last ? Math.max(0, body.length - LAST_WITHIN_BYTES) : 0
  const near = last ? bytes.subarray(from) : bytes.subarray(0, FIRST_WITHIN_BYTES)
  const found = last
    ? near.lastIndexOf('"apiKey"', undefined, 'latin1')
    : near.indexOf('"apiKey"', 0, 'latin1')
  if (found < 0) return undefined
  const name = from + found
  const bounded = body.subarray(0, name + KEY_WITHIN_BYTES)
  const colon = spaceEnd(bounded, name + API_KEY.length + 2)
  if (bounded[colon] !== COLON) return undefined
  const quote = spaceEnd(bounded, colon + 1)
  if (bounded[quote] !== QUOTE) return undefined
  return { start: quote + 1, end: plainEnd(bounded, quote + 1) }
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

/** Surveys all of `body` at once; undefined when it is not an object. */
export function surveyBatch(body: Uint8Array): BatchSurvey | undefined {
  const surveyor = new BatchSurveyor(body)
  surveyor.advance(body.length)
  return surveyor.survey
}

/** Surveys one body in as many pieces as its user likes. */
export class BatchSurveyor {
  readonly #body: Uint8Array
  readonly #progress: Progress = {
    at: 0,
    depth: 0,
    member: undefined,
    isName: true,
    isCounting: false,
    isBeforeFirst: false,
    stringStart: -1,
    apiKey: undefined,
    records: 0,
  }

  #isObject = false

  constructor(body: Uint8Array) {
    this.#body = body
  }

  /** What was found so far; undefined when the body is not an object. What is not JSON gives some answer, not an error. */
  get survey(): BatchSurvey | undefined {
    const { apiKey, records } = this.#progress
    return this.#isObject ? { apiKey, records } : undefined
  }

  /** Reads on over the next `bytes` bytes, or a few more. @returns whether the survey is complete */
  advance(bytes: number): boolean {
    const body = this.#body
    const progress = this.#progress
    const end = Math.min(body.length, progress.at + bytes)
    if (!this.#isObject) {
      progress.at = spaceEnd(body, progress.at, end)
      if (progress.at === end) return end === body.length
      if (body[progress.at] !== BRACE_OPEN) return true
      this.#isObject = true
      progress.depth = 1
      progress.at++
    }
    if (progress.stringStart >= 0) endString(body, progress, end)
    if (progress.isBeforeFirst) findFirstRecord(body, progress, end)
    surveyStructure(body, progress, end)
    return progress.depth === 0 || progress.at >= body.length
  }
}

/** How far a survey has come. */
interface Progress {
  at: number
  /** Arrays and objects around `at`. */
  depth: number
  /** The name of the outer object's present member, as one of the two; undefined: any other. */
  member: Uint8Array | undefined
  isName: boolean
  isCounting: boolean
  /** Whether only white space has been read since the bracket of the records. */
  isBeforeFirst: boolean
  /** Where the string around `at` began, or -1. */
  stringStart: number
  apiKey: Span | undefined
  records: number
}

/** Reads on from `at`, which is in no string, up to about `end`. Locals, because fields take twice as long here. */
function surveyStructure(body: Uint8Array, progress: Progress, end: number): void {
  let { at, depth, isName, isCounting, records } = progress
  for (; at < end && depth > 0; at++) {
    const kind = KINDS[body[at]]
    if (kind === 0) continue
    if (kind === STRING) {
      const start = at + 1
      at = stringEnd(body, start, end)
      if (at >= end) {
        progress.stringStart = start
        break
      }
      if (depth !== 1) continue
      takeOuterString(body, progress, isName, start, at)
      if (isName && progress.member === RECORDS) records = 0
    } else if (kind === OPEN) {
      depth++
      if (depth !== 2) continue
      isCounting = progress.member === RECORDS && body[at] === BRACKET_OPEN
      if (!isCounting) continue
      const first = spaceEnd(body, at + 1, end)
      progress.isBeforeFirst = first >= end
      if (first < end && body[first] !== BRACKET_CLOSE) records = 1
      at = first - 1
    } else if (kind === CLOSE) depth--
    else if (depth === 1) isName = kind === NEXT
    else if (depth === 2 && isCounting && kind === NEXT) records++
  }
  progress.at = at
  progress.depth = depth
  progress.isName = isName
  progress.isCounting = isCounting
  progress.records = records
}

/** Reads on in a string that an earlier piece began. */
function endString(body: Uint8Array, progress: Progress, end: number): void {
  const { stringStart, depth, isName } = progress
  const at = stringEnd(body, progress.at, end)
  progress.at = at
  if (at >= end) return
  progress.at++
  progress.stringStart = -1
  if (depth !== 1) return
  takeOuterString(body, progress, isName, stringStart, at)
  if (isName && progress.member === RECORDS) progress.records = 0
}

/** Reads on in white space after the bracket of the records. */
function findFirstRecord(body: Uint8Array, progress: Progress, end: number): void {
  progress.at = spaceEnd(body, progress.at, end)
  if (progress.at >= end) return
  progress.isBeforeFirst = false
  if (body[progress.at] !== BRACKET_CLOSE) progress.records = 1
}

/** Takes a name or a string value of the outer object. */
function takeOuterString(
  body: Uint8Array,
  progress: Progress,
  isName: boolean,
  start: number,
  end: number,
): void {
  if (!isName) {
    if (progress.member === API_KEY) progress.apiKey = { start, end }
    return
  }
  progress.member = memberOf(body, start, end)
  if (progress.member === API_KEY) progress.apiKey = undefined
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

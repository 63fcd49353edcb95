/** Texts of JSON strings with escapes. */
import { BACKSLASH, hexDigit } from './json-bytes.ts'

const LETTER_U = 0x75
/** Hexadecimal digits after `\u`. */
const DIGITS = 4
/** Stands for a lone half of a surrogate pair in UTF-8, as everywhere. */
const REPLACEMENT = 0xfffd
const HIGH_START = 0xd800
const LOW_START = 0xdc00
const LOW_END = 0xe000
const PAIRS_START = 0x1_0000

/** Meanings of letters after a backslash; all others stand for themselves. */
const CONTROLS = new Uint8Array(256)
for (let byte = 0; byte < CONTROLS.length; byte++) CONTROLS[byte] = byte
for (const [letter, control] of ['b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  CONTROLS[letter.charCodeAt(0)] = control.charCodeAt(0)

/**
 * Writes the text of the JSON string `body[start, end)`, which `stringEnd` has accepted, to `out` at `at` in UTF-8. It never takes
 * more bytes than the string.
 * @returns where it ends
 */
export function putUnescaped(
  body: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
): number {
  let to = at
  for (let from = start; from < end; ) {
    if (body[from] !== BACKSLASH) out[to++] = body[from++]
    else if (body[from + 1] !== LETTER_U) {
      out[to++] = CONTROLS[body[from + 1]]
      from += 2
    } else {
      let point = unitAt(body, from)
      from += 2 + DIGITS
      if (point >= HIGH_START && point < LOW_END) {
        const low = point < LOW_START && isUnitAt(body, from, end) ? unitAt(body, from) : 0
        if (low >= LOW_START && low < LOW_END) {
          point = PAIRS_START + ((point - HIGH_START) << 10) + low - LOW_START
          from += 2 + DIGITS
        } else point = REPLACEMENT
      }
      to = putPoint(point, out, to)
    }
  }
  return to
}

function isUnitAt(body: Uint8Array, at: number, end: number): boolean {
  return at + 1 + DIGITS < end && body[at] === BACKSLASH && body[at + 1] === LETTER_U
}

/** The UTF-16 unit that the escape at `at` stands for. */
function unitAt(body: Uint8Array, at: number): number {
  let unit = 0
  for (let i = at + 2; i < at + 2 + DIGITS; i++) unit = unit * 16 + hexDigit(body[i])
  return unit
}

/** Writes a code point in UTF-8. */
function putPoint(point: number, out: Uint8Array, at: number): number {
  let to = at
  if (point < 0x80) out[to++] = point
  else {
    if (point < 0x800) out[to++] = 0xc0 | (point >> 6)
    else {
      if (point < PAIRS_START) out[to++] = 0xe0 | (point >> 12)
      else {
        out[to++] = 0xf0 | (point >> 18)
        out[to++] = 0x80 | ((point >> 12) & 0x3f)
      }
      out[to++] = 0x80 | ((point >> 6) & 0x3f)
    }
    out[to++] = 0x80 | (point & 0x3f)
  }
  return to
}

/**
 * How a record is written around its values. Nearly every client writes all records of a batch alike, so the bytes around the
 * values of the first are compared with the next, eight at a time, and the names of most members are never read.
 * `bench/questions/bodies.ts` has what batches cost; with it a batch of plain records takes 0.84 of the time, 0.80 when four
 * clients that write differently take turns, and as long as without it when every record is written in another of four ways. For
 * single requests the same saved 30 of 8,000 nanoseconds and was dropped.
 */
import { COMMA, numberEnd, plainEndInWords, QUOTE, spaceEnd } from '../text/json-bytes.ts'
import { memberValue, stringEnd, valueEnd } from '../text/json-values.ts'

const WORD_BYTES = 8
/** Longer ones are not learned: indentation may be of any length. */
const PART_BYTES_MAX = 64
/** Records with more members are not learned. */
const VALUES_MAX = 16

/**
 * Bytes before, between or after values. No part has a zero, so that two of its words are the same bytes when they are equal as
 * doubles; those of other alphabets may be NaN, which equals nothing.
 */
class Part {
  length = 0
  readonly #bytes = new Uint8Array(PART_BYTES_MAX)
  readonly #view = new DataView(this.#bytes.buffer)

  /** False when it is too long. */
  learn(body: Uint8Array, start: number, end: number): boolean {
    this.length = end - start
    if (this.length > PART_BYTES_MAX) return false
    for (let i = 0; i < this.length; i++) this.#bytes[i] = body[start + i]
    return true
  }

  /** Whether `body` has this at `at`. */
  isAt(body: DataView, at: number): boolean {
    const { length } = this
    if (at + length > body.byteLength) return false
    if (length < WORD_BYTES) {
      for (let i = 0; i < length; i++) if (body.getUint8(at + i) !== this.#view.getUint8(i)) return false
      return true
    }
    // The last word overlaps the one before it where the length is not a multiple of eight.
    const last = length - WORD_BYTES
    for (let i = 0; i < last; i += WORD_BYTES)
      if (body.getFloat64(at + i, true) !== this.#view.getFloat64(i, true)) return false
    return body.getFloat64(at + last, true) === this.#view.getFloat64(last, true)
  }
}

/** Where the values of a record are: `body[codeStart, codeEnd)` and `body[countryStart, countryEnd)`; `end` is after it. */
export interface RecordSpans {
  codeStart: number
  codeEnd: number
  countryStart: number
  countryEnd: number
  end: number
  /** Whether all of its values are printable ASCII without nesting. */
  isPlain: boolean
}

export class RecordShape {
  /** One before each value, and one after the last. */
  readonly #parts = Array.from({ length: VALUES_MAX + 1 }, () => new Part())
  /** Number of values; 0: nothing is learned. */
  #values = 0
  /** Which of them are the two that are read. */
  #code = 0
  #country = 0

  /** @param spans of a record that begins at `start` and whose two values are strings without escapes */
  learn(body: Uint8Array, start: number, { codeStart, countryStart, end }: RecordSpans): void {
    this.#values = 0
    let values = 0
    let from = start
    for (let at = spaceEnd(body, start); ; at = spaceEnd(body, at + 1)) {
      const value = memberValue(body, at)
      if (values === VALUES_MAX || !this.#parts[values].learn(body, from, value)) return
      if (value + 1 === codeStart) this.#code = values
      if (value + 1 === countryStart) this.#country = values
      values++
      from = valueEnd(body, value)
      at = spaceEnd(body, from)
      if (body[at] !== COMMA) break
    }
    if (this.#parts[values].learn(body, from, end)) this.#values = values
  }

  /** Reads the record at `start` into `spans`. False when it is written in another way, or one of its two values is. */
  read(body: Uint8Array, view: DataView, start: number, spans: RecordSpans): boolean {
    const values = this.#values
    const parts = this.#parts
    if (values === 0 || !parts[0].isAt(view, start)) return false
    let at = start + parts[0].length
    let isPlain = true
    for (let value = 0; value < values; ) {
      if (at >= body.length) return false
      const from = at
      if (body[at] === QUOTE) {
        at = plainEndInWords(view, from + 1, body.length)
        const isPlainText = at < body.length && body[at] === QUOTE
        if (value === this.#code || value === this.#country) {
          if (!isPlainText) return false
          if (value === this.#code) {
            spans.codeStart = from + 1
            spans.codeEnd = at
          } else {
            spans.countryStart = from + 1
            spans.countryEnd = at
          }
        } else if (!isPlainText) {
          isPlain = false
          at = stringEnd(body, at)
          if (at < 0) return false
        }
        at++
      } else {
        if (value === this.#code || value === this.#country) return false
        at = numberEnd(body, from)
        if (at < 0) {
          isPlain = false
          at = valueEnd(body, from)
          if (at < 0) return false
        }
      }
      const part = parts[++value]
      if (!part.isAt(view, at)) return false
      at += part.length
    }
    spans.end = at
    spans.isPlain = isPlain
    return true
  }
}

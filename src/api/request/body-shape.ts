/**
 * How bodies are written around their values. A client writes all its requests alike, so the bytes around the values of one are
 * compared with the next, and most bodies are read without parsing their syntax: what has the same bytes between plain strings
 * has the same fields.
 */
import { plainEnd } from '../../text/json-bytes.ts'
import { ABSENT, FIELD_NAMES, type FieldSlots, STRING } from './field-slots.ts'

/** Ways of writing a body that are remembered at a time: a power of two. */
const SHAPES = 16
/** Longer texts are not learned: a body may be indented, or have fields that are not read. */
const TEXT_MAX = 255
const FIELDS = FIELD_NAMES.length
/** Shorter than any body with a key. */
const BODY_BYTES_MIN = 12

/**
 * The shapes of all clients, each in the place that `shapeOf` gives it. They share their arrays, whose addresses V8 can then
 * write into its code: with an object for each, a validation takes 4 percent longer.
 */
export class BodyShapes {
  /** For each shape, the texts before each value and after the last, one after another, and where each ends. */
  readonly #text = new Uint8Array(SHAPES * TEXT_MAX)
  readonly #ends = new Uint8Array(SHAPES * (FIELDS + 1))
  /** The field of each value. */
  readonly #fields = new Uint8Array(SHAPES * FIELDS)
  readonly #kinds = new Uint8Array(SHAPES * FIELDS)
  /** Number of values; 0: nothing is learned. */
  readonly #values = new Uint8Array(SHAPES)

  /** Learns from `body`, which `scanFields` has read into `slots`. */
  learn(body: Uint8Array, { kinds, starts, ends }: FieldSlots): void {
    const shape = shapeOf(body)
    this.#values[shape] = 0
    let values = 0
    let length = 0
    let from = 0
    for (
      let field = nextField(kinds, starts, -1);
      field >= 0;
      field = nextField(kinds, starts, starts[field])
    ) {
      if (kinds[field] !== STRING || length + starts[field] - from > TEXT_MAX) return
      length = this.#append(shape, body, from, starts[field], length)
      this.#ends[shape * (FIELDS + 1) + values] = length
      this.#fields[shape * FIELDS + values++] = field
      from = ends[field]
    }
    if (length + body.length - from > TEXT_MAX) return
    this.#ends[shape * (FIELDS + 1) + values] = this.#append(shape, body, from, body.length, length)
    this.#kinds.set(kinds, shape * FIELDS)
    this.#values[shape] = values
  }

  /** Reads `body` into `slots`. False when it is written in another way; `slots` then holds nothing of use. */
  read(body: Uint8Array, { kinds, starts, ends }: FieldSlots): boolean {
    const shape = shapeOf(body)
    const values = this.#values[shape]
    if (values === 0) return false
    const text = this.#text
    const textStart = shape * TEXT_MAX
    const endStart = shape * (FIELDS + 1)
    const fieldStart = shape * FIELDS
    let at = 0
    let from = textStart
    for (let value = 0; value < values; value++) {
      const to = textStart + this.#ends[endStart + value]
      if (!hasText(body, at, text, from, to)) return false
      const start = at + to - from
      const field = this.#fields[fieldStart + value]
      at = plainEnd(body, start)
      starts[field] = start
      ends[field] = at
      from = to
    }
    const to = textStart + this.#ends[endStart + values]
    if (at + to - from !== body.length || !hasText(body, at, text, from, to)) return false
    for (let field = 0; field < FIELDS; field++) kinds[field] = this.#kinds[fieldStart + field]
    return true
  }

  #append(shape: number, body: Uint8Array, start: number, end: number, length: number): number {
    const at = shape * TEXT_MAX + length
    for (let i = start; i < end; i++) this.#text[at + i - start] = body[i]
    return length + end - start
  }
}

/**
 * The place of a body's shape, by two bytes in which most ways of writing differ: the first of the first name, and what stands
 * where a first value may begin, with or without a space before it.
 */
function shapeOf(body: Uint8Array): number {
  return body.length < BODY_BYTES_MIN ? 0 : (body[2] + body[11]) & (SHAPES - 1)
}

/** Whether `body` has `text[from, to)` at `at`. By bytes: a `DataView` of each body costs more than reading words saves. */
function hasText(body: Uint8Array, at: number, text: Uint8Array, from: number, to: number): boolean {
  if (at + to - from > body.length) return false
  for (let i = from, j = at; i < to; i++, j++) if (body[j] !== text[i]) return false
  return true
}

/** The first of the present fields that begin after `start`, or -1. */
function nextField(kinds: Uint8Array, starts: Uint32Array, start: number): number {
  let next = -1
  for (let field = 0; field < FIELDS; field++) {
    if (kinds[field] === ABSENT || starts[field] <= start) continue
    if (next < 0 || starts[field] < starts[next]) next = field
  }
  return next
}

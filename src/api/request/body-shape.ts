/**
 * How a body is written around its values. A client writes all its requests alike, so the bytes around the values of one are
 * compared with the next, and most bodies are read without parsing their syntax: what has the same bytes between plain strings
 * has the same fields.
 */
import { plainEnd } from '../../text/json-bytes.ts'
import { ABSENT, FIELD_NAMES, type FieldSlots, STRING } from './field-slots.ts'

/** Longer texts are not learned: a body may be indented, or have fields that are not read. */
const SHAPE_BYTES_MAX = 255
const FIELDS = FIELD_NAMES.length

export class BodyShape {
  /** The texts before each value and after the last, one after another, and where each ends. */
  readonly #text = new Uint8Array(SHAPE_BYTES_MAX)
  readonly #ends = new Uint8Array(FIELDS + 1)
  /** The field of each value. */
  readonly #fields = new Uint8Array(FIELDS)
  readonly #kinds = new Uint8Array(FIELDS)
  /** 0: nothing is learned. */
  #values = 0

  /** Learns from `body`, which `scanFields` has read into `slots`. */
  learn(body: Uint8Array, { kinds, starts, ends }: FieldSlots): void {
    this.#values = 0
    let values = 0
    let length = 0
    let from = 0
    for (
      let field = nextField(kinds, starts, -1);
      field >= 0;
      field = nextField(kinds, starts, starts[field])
    ) {
      if (kinds[field] !== STRING || length + starts[field] - from > SHAPE_BYTES_MAX) return
      length = this.#append(body, from, starts[field], length)
      this.#ends[values] = length
      this.#fields[values++] = field
      from = ends[field]
    }
    if (length + body.length - from > SHAPE_BYTES_MAX) return
    this.#ends[values] = this.#append(body, from, body.length, length)
    this.#kinds.set(kinds)
    this.#values = values
  }

  /** Reads `body` into `slots`. False when it is written in another way; `slots` then holds nothing of use. */
  read(body: Uint8Array, { kinds, starts, ends }: FieldSlots): boolean {
    const values = this.#values
    if (values === 0) return false
    const text = this.#text
    let at = 0
    let from = 0
    for (let value = 0; value < values; value++) {
      const to = this.#ends[value]
      if (!hasText(body, at, text, from, to)) return false
      const start = at + to - from
      const field = this.#fields[value]
      at = plainEnd(body, start)
      starts[field] = start
      ends[field] = at
      from = to
    }
    const to = this.#ends[values]
    if (at + to - from !== body.length || !hasText(body, at, text, from, to)) return false
    for (let field = 0; field < FIELDS; field++) kinds[field] = this.#kinds[field]
    return true
  }

  #append(body: Uint8Array, start: number, end: number, length: number): number {
    for (let i = start; i < end; i++) this.#text[length + i - start] = body[i]
    return length + end - start
  }
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

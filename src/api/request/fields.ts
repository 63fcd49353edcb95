/** The fields of a single-record request: where each stands in the body, without making a string of any. */

import { isUtf8 } from 'node:buffer'
import { BODY_BYTES_MAX } from '../../limits.ts'
import { viewOf } from '../../text/bytes.ts'
import { BRACE_OPEN, spaceEnd } from '../../text/json-bytes.ts'
import { putUnescaped } from '../../text/json-escapes.ts'
import { type MemberSlots, NUMBER, OTHER, STRING, scanMembers } from '../../text/json-members.ts'
import { stringEnd } from '../../text/json-values.ts'
import { FIELD, FIELD_MEMBERS, FIELD_NAMES, type Field } from './field-slots.ts'

/** Characters that `String` takes for a number at most: `-2.2250738585072014e-308`. */
const NUMBER_BYTES_MAX = 24

/**
 * Reused for every request, so that reading one allocates nothing unless its body is unusual. A body is copied, which takes 15 ns: what
 * lives for one request alone is then referred to by nothing older, and views of the copy are made once.
 */
export class Fields implements MemberSlots {
  /** The bytes that `starts` and `ends` point into, and perhaps more: the body, or copies of its values that have no escapes. */
  bytes: Uint8Array
  /** Shows `bytes`, at the same offsets. */
  view: DataView
  readonly kinds: Uint8Array = new Uint8Array(FIELD_NAMES.length)
  readonly starts: Uint32Array = new Uint32Array(FIELD_NAMES.length)
  readonly ends: Uint32Array = new Uint32Array(FIELD_NAMES.length)
  different = 0
  isPlain = true
  /** Begins with the body. */
  written: Uint8Array = new Uint8Array(BODY_BYTES_MAX)
  /** Where the value of `zipcode` is in `written` as the client wrote it, without quotes. */
  zipcodeStart = 0
  zipcodeEnd = 0
  /** Shows `written`. */
  writtenView: DataView = new DataView(this.written.buffer)
  #length = 0
  #copies: Buffer = Buffer.alloc(0)

  constructor() {
    this.bytes = this.written
    this.view = this.writtenView
  }

  /** The body that was read last, valid until the next is read. */
  get body(): Uint8Array {
    return this.written.subarray(0, this.#length)
  }

  /** Reads the fields of `body`. False when it is not a JSON object in valid UTF-8. */
  read(body: Uint8Array): boolean {
    if (body.length > this.written.length) this.#grow(body.length)
    this.written.set(body)
    this.#length = body.length
    this.bytes = this.written
    this.view = this.writtenView
    if (!this.#scan(body)) return false
    this.zipcodeStart = this.starts[FIELD.zipcode]
    this.zipcodeEnd = this.ends[FIELD.zipcode]
    if (this.different !== 0) this.#copy()
    return true
  }

  #grow(bytes: number): void {
    this.written = new Uint8Array(bytes)
    this.writtenView = new DataView(this.written.buffer)
  }

  #scan(body: Uint8Array): boolean {
    const brace = spaceEnd(body, 0)
    if (brace >= body.length || body[brace] !== BRACE_OPEN) return false
    const end = scanMembers(body, this.view, brace + 1, FIELD_MEMBERS, this)
    return end >= 0 && spaceEnd(body, end) === body.length && (this.isPlain || isUtf8(body))
  }

  /** Whether the field is a string with at least one character. */
  hasText(field: Field): boolean {
    return this.kinds[field] === STRING && this.ends[field] > this.starts[field]
  }

  /** The field's text as a string. */
  text(field: Field): string {
    const { bytes, starts, ends } = this
    return Buffer.from(bytes.buffer, bytes.byteOffset + starts[field], ends[field] - starts[field]).toString(
      'utf8',
    )
  }

  /** Lays out copies of all values. Those with a bit in `different` become what they stand for. */
  #copy(): void {
    const { written, kinds, starts, ends, different } = this
    const room = this.#length + FIELD_NAMES.length * NUMBER_BYTES_MAX
    if (this.#copies.length < room) this.#copies = Buffer.alloc(room)
    const copies = this.#copies
    let at = 0
    for (let field = 0; field < FIELD_NAMES.length; field++) {
      const start = at
      if (kinds[field] === STRING) at = putUnescaped(written, starts[field], ends[field], copies, at)
      else if (kinds[field] === NUMBER) {
        const text = this.text(field as Field)
        const value = (different & (1 << field)) === 0 ? text : String(Number(text))
        if (Number.isFinite(Number(value))) at += copies.write(value, at, 'latin1')
        else kinds[field] = OTHER
      }
      starts[field] = start
      ends[field] = at
    }
    this.bytes = copies
    this.view = viewOf(copies)
  }
}

/** Longest string, with its escapes, that `decodedText` decodes. A key of nothing but escapes takes half of it. */
const DECODED_BYTES_MAX = 512

/** The UTF-8 of the JSON string `body[start, end)`; nothing when it is too long or not a string. */
export function decodedText(body: Uint8Array, start: number, end: number): Uint8Array {
  if (end - start > DECODED_BYTES_MAX || stringEnd(body, start) !== end || !isUtf8(body.subarray(start, end)))
    return new Uint8Array(0)
  const text = new Uint8Array(end - start)
  return text.subarray(0, putUnescaped(body, start, end, text, 0))
}

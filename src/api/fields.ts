/** Fields of a request for one code: where each stands in the body, without making a string of any. */
import { isUtf8 } from 'node:buffer'
import { REQUESTED_NAMES } from '../index/record-fields.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { viewOf } from '../text/bytes.ts'
import { BRACE_OPEN, markEnd, spaceEnd } from '../text/json-bytes.ts'
import {
  ABSENT,
  type MemberSlots,
  memberNames,
  NUMBER,
  OTHER,
  STRING,
  scanMembers,
  unescaped,
} from '../text/json-members.ts'

/** Numbers of the fields. All other members are ignored. */
export const FIELD = { apiKey: 0, zipcode: 1, country: 2 } as const
export type Field = (typeof FIELD)[keyof typeof FIELD]

const COUNT = Object.keys(FIELD).length
const NAMES = memberNames(...Object.keys(FIELD), ...REQUESTED_NAMES)
/** Characters that `String` takes for a number at most: `-2.2250738585072014e-308`. */
const NUMBER_BYTES_MAX = 24

/** Fields of one request at a time. The body is copied into a fixed buffer, so that no request makes a view of its own. */
export class Fields implements MemberSlots {
  /** Bytes that `starts` and `ends` point into: the body, or unescaped copies of its values. */
  bytes: Uint8Array
  /** Shows `bytes`, at the same offsets. */
  view: DataView
  readonly kinds: Uint8Array = new Uint8Array(NAMES.length)
  readonly starts: Uint32Array = new Uint32Array(NAMES.length)
  readonly ends: Uint32Array = new Uint32Array(NAMES.length)
  /** One bit per field that must be rewritten before use: strings with escapes, numbers like 1e3. */
  different = 0
  /** True if the body is ASCII. */
  isPlain = true
  /** Buffer that begins with the body. */
  written: Uint8Array = new Uint8Array(BODY_BYTES_MAX)
  /** Where the value of `zipcode` is in `written` as the client wrote it, without quotes. */
  zipcodeStart = 0
  zipcodeEnd = 0
  readonly #writtenView: DataView = new DataView(this.written.buffer)
  #copies: Buffer = Buffer.alloc(0)

  constructor() {
    this.bytes = this.written
    this.view = this.#writtenView
  }

  /** Reads the fields of `body`, of BODY_BYTES_MAX at most. False when it is not a JSON object in valid UTF-8. */
  read(body: Uint8Array): boolean {
    this.written.set(body)
    this.bytes = this.written
    this.view = this.#writtenView
    if (!this.#scan(body)) return false
    this.zipcodeStart = this.starts[FIELD.zipcode]
    this.zipcodeEnd = this.ends[FIELD.zipcode]
    if (this.different !== 0) this.#copy(body.length)
    return true
  }

  /** True if one of the fields that records have on request is named. */
  get asksMore(): boolean {
    for (let field = COUNT; field < this.kinds.length; field++) if (this.kinds[field] !== ABSENT) return true
    return false
  }

  /** True if the field is a string with at least one character. */
  hasText(field: Field): boolean {
    return this.kinds[field] === STRING && this.ends[field] > this.starts[field]
  }

  /** The field's text as a string. */
  text(field: Field): string {
    const { bytes, starts, ends } = this
    return Buffer.from(bytes.buffer, bytes.byteOffset + starts[field], ends[field] - starts[field]).toString()
  }

  #scan(body: Uint8Array): boolean {
    const brace = spaceEnd(body, markEnd(body))
    if (brace >= body.length || body[brace] !== BRACE_OPEN) return false
    const end = scanMembers(body, this.view, brace + 1, NAMES, this)
    return end >= 0 && spaceEnd(body, end) === body.length && (this.isPlain || isUtf8(body))
  }

  /** Copies all values, unescaping strings and rewriting unusual numbers. */
  #copy(length: number): void {
    const { written, kinds, starts, ends, different } = this
    const room = length + COUNT * NUMBER_BYTES_MAX
    if (this.#copies.length < room) this.#copies = Buffer.alloc(room)
    const copies = this.#copies
    let at = 0
    for (let field = 0; field < COUNT; field++) {
      const start = at
      if (kinds[field] === STRING) {
        const text = unescaped(written, starts[field], ends[field])
        copies.set(text, at)
        at += text.length
      } else if (kinds[field] === NUMBER) {
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

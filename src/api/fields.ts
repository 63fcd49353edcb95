/** Fields of a request for one code: where each stands in the body, without making a string of any. */
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
  parsedObject,
  STRING,
  scanMembers,
} from '../text/json-members.ts'

export const FIELD = { apiKey: 0, zipcode: 1, country: 2 } as const
export type Field = (typeof FIELD)[keyof typeof FIELD]

const TEXTS = [...Object.keys(FIELD), ...REQUESTED_NAMES]
const NAMES = memberNames(...TEXTS)
/** Bytes of a number as JavaScript writes it, at most: `-2.2250738585072014e-308`. */
const NUMBER_BYTES_MAX = 24

/** Fields of one request at a time. The body is copied into a fixed buffer, so that no request makes a view of its own. */
export class Fields implements MemberSlots {
  /** Has the body, or else the values of an unusual one. Texts of fields, and what `validate` echoes, fit twice. */
  readonly bytes: Buffer = Buffer.alloc(2 * (BODY_BYTES_MAX + NUMBER_BYTES_MAX * NAMES.length))
  readonly kinds: Uint8Array = new Uint8Array(NAMES.length)
  readonly starts: Uint32Array = new Uint32Array(NAMES.length)
  readonly ends: Uint32Array = new Uint32Array(NAMES.length)
  zipcodeStart = 0
  zipcodeEnd = 0
  readonly #view: DataView = viewOf(this.bytes)

  /** Reads the fields of `body`, of BODY_BYTES_MAX at most. False when it is not a JSON object in valid UTF-8. */
  read(body: Uint8Array): boolean {
    this.bytes.set(body)
    if (this.#scan(body)) {
      this.zipcodeStart = this.starts[FIELD.zipcode]
      this.zipcodeEnd = this.ends[FIELD.zipcode]
      return true
    }
    const parsed = parsedObject(body)
    if (parsed !== undefined) this.#take(parsed)
    return parsed !== undefined
  }

  get asksMore(): boolean {
    const first = TEXTS.length - REQUESTED_NAMES.length
    for (let field = first; field < this.kinds.length; field++) if (this.kinds[field] !== ABSENT) return true
    return false
  }

  /** True if the field is a string with at least one character. */
  hasText(field: Field): boolean {
    return this.kinds[field] === STRING && this.ends[field] > this.starts[field]
  }

  text(field: Field): string {
    const end = this.kinds[field] === ABSENT ? 0 : this.ends[field]
    return this.bytes.toString('utf8', this.starts[field], end)
  }

  /** False also for an unusual body. */
  #scan(body: Uint8Array): boolean {
    const brace = spaceEnd(body, markEnd(body))
    if (brace >= body.length || body[brace] !== BRACE_OPEN) return false
    const end = scanMembers(body, this.#view, brace + 1, NAMES, this)
    return end >= 0 && spaceEnd(body, end) === body.length
  }

  /** Writes the values of an unusual body as if it had had nothing else. */
  #take(parsed: Readonly<Record<string, unknown>>): void {
    const { bytes, kinds, starts, ends } = this
    let at = 0
    for (const [number, name] of TEXTS.entries()) {
      const value = parsed[name]
      kinds[number] = kindOf(value)
      starts[number] = at
      if (kinds[number] === STRING || kinds[number] === NUMBER) at += bytes.write(String(value), at)
      ends[number] = at
    }
    const kind = kinds[FIELD.zipcode]
    // Anything else is refused, and may be nested so deeply that writing it takes long.
    const echo = kind === STRING || kind === NUMBER ? JSON.stringify(parsed.zipcode) : ''
    this.zipcodeStart = at
    this.zipcodeEnd = at + bytes.write(echo.startsWith('"') ? echo.slice(1, -1) : echo, at)
  }
}

function kindOf(value: unknown): number {
  if (value === undefined || value === null) return ABSENT
  if (typeof value === 'string') return STRING
  return Number.isFinite(value) ? NUMBER : OTHER
}

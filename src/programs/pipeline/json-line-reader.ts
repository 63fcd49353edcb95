/** Reads lines of NDJSON, and finds the members of a plan without parsing lines of the usual form. */
import { utf8Text } from '../../postal/text/bytes.ts'
import {
  ABSENT,
  BRACE_OPEN,
  type MemberNames,
  STRING,
  scanMembers,
  slotsFor,
  spaceEnd,
} from '../../postal/text/json.ts'
import { LF } from './csv-reader.ts'
import type { CheckPlan } from './plan.ts'

export interface RecordBytes {
  readonly bytes: Uint8Array
  readonly starts: ArrayLike<number>
  readonly ends: ArrayLike<number>
  /** Start and end of the text to copy. */
  readonly start: number
  readonly end: number
  /** Returns a field; `''` if there is none. */
  field(column: number): string
}

/** Numbers of the members in `starts` and `ends`. */
export const MEMBERS = { codeAt: 0, countryAt: 1, cityAt: 2, stateAt: 3 } as const
const READ_MEMBERS = Object.keys(MEMBERS).length
const PLAIN_NAME = /^[ !#-[\]-~]*$/
/** Bytes of no UTF-8. */
const NO_NAME = Uint8Array.of(0xff)

export class JsonLineReader implements RecordBytes {
  readonly bytes: Uint8Array
  readonly #names: MemberNames
  readonly #slots: ReturnType<typeof slotsFor>
  readonly #isUsual: boolean
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  start = 0
  end = 0
  lineStart = 0
  lineEnd = -1

  constructor(bytes: Uint8Array, { code, countryColumn, city, state, added }: CheckPlan) {
    this.bytes = bytes
    const names = [code, countryColumn, city, state, ...added]
    // A member may serve twice, or have an unusual name. Only the text path knows.
    const given = names.filter(name => name !== undefined)
    this.#isUsual = new Set(given).size === given.length && given.every(name => PLAIN_NAME.test(name))
    this.#names = names.map(name => (name === undefined ? NO_NAME : Buffer.from(name)))
    this.#slots = slotsFor(this.#names)
    this.starts = this.#slots.starts
    this.ends = this.#slots.ends
  }

  next(): boolean {
    this.lineStart = this.lineEnd + 1
    const found = this.bytes.indexOf(LF, this.lineStart)
    this.lineEnd = found < 0 ? this.bytes.length : found
    return this.lineStart < this.bytes.length
  }

  /** Finds the members of the line; false for another form, or if a member has the name of a result. */
  scan(): boolean {
    const { bytes, starts, ends } = this
    const { kinds } = this.#slots
    const brace = spaceEnd(bytes, this.lineStart)
    if (!this.#isUsual || bytes[brace] !== BRACE_OPEN) return false
    starts.fill(0)
    const after = scanMembers(bytes, brace + 1, this.#names, this.#slots)
    if (after < 0 || after > this.lineEnd || spaceEnd(bytes, after) < this.lineEnd) return false
    for (let i = 0; i < kinds.length; i++) {
      // A member that is null is absent, but has a place.
      if (i >= READ_MEMBERS ? starts[i] !== 0 : kinds[i] !== ABSENT && kinds[i] !== STRING) return false
      if (kinds[i] === ABSENT) starts[i] = ends[i] = 0
    }
    this.start = spaceEnd(bytes, brace + 1)
    this.end = after - 1
    while (bytes[this.end - 1] <= 0x20) this.end--
    return true
  }

  field(column: number): string {
    return utf8Text(this.bytes, this.starts[column], this.ends[column])
  }
}

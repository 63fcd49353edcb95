import {
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COMMA,
  isLetter,
  markEnd,
  spaceEnd,
} from '../../postal/text/json-bytes.ts'
import {
  type MemberSlots,
  memberNames,
  READ,
  STRING,
  scanMembers,
  slotsFor,
} from '../../postal/text/json-members.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import type { RecordWriter } from './record-writer.ts'
import type { WorkerAnswer } from './worker-result.ts'

const BODY_MEMBERS = memberNames('apiKey', 'records')
const API_KEY = 0
const RECORDS = 1
const RECORD_MEMBERS = memberNames('postalCode', 'countryCode')
const CODE = 0
const COUNTRY = 1
const NOTHING = new Uint8Array(0)

/** Reads bodies of validate-bulk in one pass. Reused, so that a record costs no object. */
export class RecordScanner {
  readonly #writer: RecordWriter
  readonly #outer: MemberSlots = slotsFor(BODY_MEMBERS, (number, start) => this.#readRecords(number, start))
  readonly #record: MemberSlots = slotsFor(RECORD_MEMBERS)
  #body: Uint8Array = NOTHING

  constructor(writer: RecordWriter) {
    this.#writer = writer
  }

  /** Answers a bulk request; null if it is malformed or unusual. */
  scan(body: Uint8Array): WorkerAnswer | null {
    const { kinds, starts, ends } = this.#outer
    this.#body = body
    const brace = spaceEnd(body, markEnd(body))
    if (brace >= body.length || body[brace] !== BRACE_OPEN) return null
    const end = scanMembers(body, brace + 1, BODY_MEMBERS, this.#outer)
    if (end < 0 || spaceEnd(body, end) !== body.length || kinds[RECORDS] !== READ) return null
    const hasKey = kinds[API_KEY] === STRING
    const apiKey = hasKey ? body.subarray(starts[API_KEY], ends[API_KEY]) : NOTHING
    this.#writer.finish(body)
    const { bytes, length, count } = this.#writer
    return { error: null, apiKey, count, bytes, length }
  }

  /** Reads the records, which replace those of an earlier member. Returns their end, or -1. */
  #readRecords(member: number, start: number): number {
    const body = this.#body
    if (member !== RECORDS || body[start] !== BRACKET_OPEN) return -1
    this.#writer.begin()
    for (let at = start; ; ) {
      at = this.#readRecord(spaceEnd(body, at + 1))
      if (at < 0) return -1
      at = spaceEnd(body, at)
      if (at >= body.length) return -1
      if (body[at] === BRACKET_CLOSE) return at + 1
      if (body[at] !== COMMA) return -1
    }
  }

  #readRecord(start: number): number {
    const body = this.#body
    if (start >= body.length || body[start] !== BRACE_OPEN || this.#writer.count === BULK_RECORDS_MAX)
      return -1
    const end = scanMembers(body, start + 1, RECORD_MEMBERS, this.#record)
    const { kinds, starts, ends } = this.#record
    if (end < 0 || kinds[CODE] !== STRING || kinds[COUNTRY] !== STRING) return -1
    if (ends[CODE] === starts[CODE] || !isCountry(body, starts[COUNTRY], ends[COUNTRY])) return -1
    this.#writer.add(body, starts[CODE], ends[CODE], starts[COUNTRY])
    return end
  }
}

function isCountry(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === 2 && isLetter(bytes[start]) && isLetter(bytes[start + 1])
}

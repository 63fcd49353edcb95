/** Positions of a request's fields in its body, found without making strings. */

import { REQUESTED_NAMES } from '../../postal/index/record-fields.ts'
import { BRACE_OPEN, markEnd, spaceEnd } from '../../postal/text/json-bytes.ts'
import { ABSENT, type MemberSlots, memberNames, STRING, scanMembers } from '../../postal/text/json-members.ts'

export const BODY_BYTES_MAX = 16 * 1024

export const FIELD = { apiKey: 0, zipcode: 1, country: 2 } as const
export type ScannedField = (typeof FIELD)[keyof typeof FIELD]

const FIRST_REQUESTED = Object.keys(FIELD).length
const NAMES = memberNames(...Object.keys(FIELD), ...REQUESTED_NAMES)

/** Fields of one request at a time. A fixed buffer has the body, so that no request makes a view. */
export class ScannedFields implements MemberSlots {
  readonly bytes: Buffer = Buffer.alloc(BODY_BYTES_MAX)
  readonly kinds: Uint8Array = new Uint8Array(NAMES.length)
  readonly starts: Uint32Array = new Uint32Array(NAMES.length)
  readonly ends: Uint32Array = new Uint32Array(NAMES.length)

  /** Reads the fields of `body`, at most BODY_BYTES_MAX long. Returns false if it is malformed or unusual. */
  read(body: Uint8Array): boolean {
    this.bytes.set(body)
    const brace = spaceEnd(body, markEnd(body))
    if (brace >= body.length || body[brace] !== BRACE_OPEN) return false
    const end = scanMembers(body, brace + 1, NAMES, this)
    return end >= 0 && spaceEnd(body, end) === body.length
  }

  clear(): void {
    this.kinds.fill(ABSENT)
  }

  /** True if the body asks for fields that records have on request only. */
  get asksMore(): boolean {
    for (let field = FIRST_REQUESTED; field < this.kinds.length; field++)
      if (this.kinds[field] !== ABSENT) return true
    return false
  }

  hasText(field: ScannedField): boolean {
    return this.kinds[field] === STRING && this.ends[field] > this.starts[field]
  }

  text(field: ScannedField): string {
    const end = this.kinds[field] === ABSENT ? 0 : this.ends[field]
    return this.bytes.toString('latin1', this.starts[field], end)
  }
}

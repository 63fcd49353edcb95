/** Fields that only a few endpoints have. They are read in a second scan, so that the first one need not know them. */
import { DIGIT_0, MINUS, spaceEnd } from '../../text/json-bytes.ts'
import {
  ABSENT,
  MemberNames,
  type MemberSlots,
  NUMBER,
  STRING,
  scanMembers,
} from '../../text/json-members.ts'

const POINT = 0x2e
/** A number of at most so many digits is exact, and so are the powers of ten by which it is divided. */
const EXACT_DIGITS = 15
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power)

/** The fields `names` of the body that was read last. Reused for every request, so that reading one allocates nothing. */
export class MoreFields<Name extends string> {
  readonly #scans: readonly Scan[]
  readonly #where: Readonly<Record<Name, { scan: Scan; number: number }>>
  #body: Uint8Array = new Uint8Array(0)

  constructor(names: readonly Name[]) {
    this.#scans = groupsOf(names).map(group => new Scan(group))
    const where = this.#scans.flatMap(scan => scan.names.map((name, number) => [name, { scan, number }]))
    this.#where = Object.fromEntries(where)
  }

  /**
   * @param body one that `Fields.read` has accepted
   * @param view shows its bytes, at the same offsets
   */
  read(body: Uint8Array, view: DataView): void {
    this.#body = body
    // After the brace.
    const start = spaceEnd(body, 0) + 1
    for (const scan of this.#scans) scanMembers(body, view, start, scan.members, scan)
  }

  /** Whether the field is there. Clients send null, or an empty text, for an option that is not set. */
  has(name: Name): boolean {
    const { scan, number } = this.#where[name]
    const kind = scan.kinds[number]
    return kind === STRING ? scan.ends[number] > scan.starts[number] : kind !== ABSENT
  }

  /** The text of a field, or undefined when it is not one or empty. */
  text(name: Name): string | undefined {
    const { scan, number } = this.#where[name]
    const [start, end] = [scan.starts[number], scan.ends[number]]
    if (scan.kinds[number] !== STRING || end === start) return undefined
    const body = this.#body
    const bytes = Buffer.from(body.buffer, body.byteOffset + start, end - start)
    if ((scan.different & (1 << number)) !== 0) return JSON.parse(`"${bytes.toString('utf8')}"`)
    return scan.isPlain ? bytes.toString('latin1') : bytes.toString('utf8')
  }

  /** The number in a field, `fallback` when it is not there, or undefined when it is not a number from `min` to `max`. */
  number(name: Name, min: number, max: number, fallback: number): number | undefined {
    const { scan, number } = this.#where[name]
    if (!this.has(name)) return fallback
    if (scan.kinds[number] !== NUMBER) return undefined
    const value = numberIn(this.#body, scan.starts[number], scan.ends[number])
    return value >= min && value <= max ? value : undefined
  }

  /** The same for whole numbers. */
  whole(name: Name, min: number, max: number, fallback: number): number | undefined {
    const value = this.number(name, min, max, fallback)
    return Number.isSafeInteger(value) ? value : undefined
  }
}

class Scan implements MemberSlots {
  readonly names: readonly string[]
  readonly members: MemberNames
  readonly kinds: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  different = 0
  isPlain = true

  constructor(names: readonly string[]) {
    this.names = names
    this.members = new MemberNames(names)
    this.kinds = new Uint8Array(names.length)
    this.starts = new Uint32Array(names.length)
    this.ends = new Uint32Array(names.length)
  }
}

/** `names` in as few groups as `MemberNames` takes, which tells names apart by their first two letters. */
function groupsOf(names: readonly string[]): string[][] {
  const groups: string[][] = []
  for (const name of names) {
    const sum = sumOf(name)
    const group = groups.find(others => others.every(other => sumOf(other) !== sum))
    if (group === undefined) groups.push([name])
    else group.push(name)
  }
  return groups
}

function sumOf(name: string): number {
  return name.charCodeAt(0) + name.charCodeAt(1)
}

/** The value of the JSON number `body[start, end)`, as `JSON.parse` gives it. */
function numberIn(body: Uint8Array, start: number, end: number): number {
  let digits = 0
  let fraction = -1
  let value = 0
  const isNegative = body[start] === MINUS
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    const digit = body[at] - DIGIT_0
    if (digit >= 0 && digit <= 9 && digits < EXACT_DIGITS) {
      value = value * 10 + digit
      digits++
      if (fraction >= 0) fraction++
    } else if (body[at] === POINT) fraction = 0
    // An exponent, or more digits than a double holds.
    else return Number(Buffer.from(body.buffer, body.byteOffset + start, end - start).toString('latin1'))
  }
  // One division of two exact numbers is rounded as the text would be.
  const exact = fraction > 0 ? value / POWERS[fraction] : value
  return isNegative ? -exact : exact
}

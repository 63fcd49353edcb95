/** Records of the input as text, and their results as lines: for every format, from an index or through a service. */
import { isUtf8 } from 'node:buffer'
import { COUNTRY_SLOTS, countrySlotOf, slotText } from '../index/country-table.ts'
import { countryOf } from '../library/country-texts.ts'
import type { Detail, InvalidReason, Verification } from '../library/main.ts'
import { utf8Text } from '../text/bytes.ts'
import { type Counts, countWrong, noCounts } from './counts.ts'
import { CsvReader, csvBytes, LF, latin1Of, recordsEnd } from './csv.ts'
import { InputError } from './input-error.ts'
import { parsedLine } from './ndjson.ts'
import { type CheckPlan, RESULT_COLUMNS } from './plan.ts'

export interface TextRecord {
  /** A number when its lost zeros are wanted. */
  code: string | number
  /** Two letters, unless the record names no country that is known. */
  country: string
  /** `''` where they are not compared. */
  city: string
  state: string
  /** Text before the result: a record of CSV, in which a character stands for a byte, or the inside of a JSON object. */
  head: string
}

export interface Verdict {
  reason: InvalidReason | null
  /** The written form; null for an invalid code. */
  normalized: string | null
  detail?: Detail
}

/** Values of the columns of a plan after the verdict, undefined where one is not known. */
export type Values = readonly (string | number | undefined)[]

export interface CheckedPiece {
  bytes: Uint8Array<ArrayBuffer>
  counts: Counts
  /** Fault of the record after those that were counted. */
  problem: string | null
}

/** How city and state fit, those that were compared. */
export type Fits = Pick<Verification, 'city' | 'state'>

const SHOWN_LENGTH = 60
/** No character of a text takes more bytes of UTF-8. */
const CHARACTER_BYTES_MAX = 3

/** Says if the present record of CSV is done: it is then not made to texts. */
type Takes = (record: CsvReader) => boolean

/** Reads a piece of whole records, but for those that `takes` takes. @throws InputError at a record that cannot be understood */
export function recordsOf(
  piece: Uint8Array,
  plan: CheckPlan,
  takes: Takes = () => false,
): Generator<TextRecord> {
  const read = plan.from === 'csv' ? csvRecords : jsonRecords
  return isUtf8(piece) ? read(piece, plan, takes) : untilDamaged(read, piece, plan, takes)
}

/** Yields the records before the first line that is not UTF-8. */
function* untilDamaged(
  read: typeof csvRecords,
  piece: Uint8Array,
  plan: CheckPlan,
  takes: Takes,
): Generator<TextRecord> {
  let start = 0
  while (isUtf8(piece.subarray(start, lineEnd(piece, start)))) start = lineEnd(piece, start)
  const lines = piece.subarray(0, start)
  yield* read(plan.from === 'csv' ? lines.subarray(0, recordsEnd(lines, plan.delimiter)) : lines, plan, takes)
  expectUtf8(piece.subarray(start, lineEnd(piece, start)))
}

function lineEnd(bytes: Uint8Array, start: number): number {
  return bytes.indexOf(LF, start) + 1 || bytes.length
}

/** @throws InputError that shows the bytes of a line that is not UTF-8, and says what to do */
export function expectUtf8(line: Uint8Array): void {
  if (isUtf8(line)) return
  const shown = JSON.stringify(latin1Of(line).trimEnd().slice(0, SHOWN_LENGTH))
  throw new InputError(`${shown} is not UTF-8; name the encoding, such as --encoding windows-1252`)
}

/** Columns of a plan; -1 for one that is not there. */
export function columnNumbers({ columns, code, countryColumn, city, state }: CheckPlan) {
  const [codeAt, countryAt, cityAt, stateAt] = [code, countryColumn, city, state].map(name =>
    name === undefined ? -1 : columns.indexOf(name),
  )
  return { codeAt, countryAt, cityAt, stateAt }
}

function* csvRecords(piece: Uint8Array, plan: CheckPlan, takes: Takes): Generator<TextRecord> {
  const { columns, delimiter, ragged, to } = plan
  const { codeAt, countryAt, cityAt, stateAt } = columnNumbers(plan)
  const reader = new CsvReader(piece, delimiter)
  while (reader.next()) {
    const missing = columns.length - reader.count
    // The results of a longer record would stand in other columns than the header says.
    if (missing < 0 || (missing > 0 && !ragged))
      throw new InputError(`${reader.count} fields, the header has ${columns.length}`)
    if (missing === 0 && takes(reader)) continue
    const head =
      to === 'csv'
        ? reader.record + delimiter.repeat(missing)
        : columns.map((name, i) => `${JSON.stringify(name)}:${JSON.stringify(reader.field(i))}`).join(',')
    yield textRecord(
      plan,
      reader.field(codeAt),
      reader.field(countryAt),
      reader.field(cityAt),
      reader.field(stateAt),
      head,
    )
  }
}

function* jsonRecords(piece: Uint8Array, plan: CheckPlan): Generator<TextRecord> {
  const { columns, delimiter, countryColumn, code, to } = plan
  for (const each of utf8Text(piece, 0, piece.length).split('\n')) {
    const line = each.trim()
    if (line === '') continue
    const record = parsedLine(line)
    const codeText = textOf(record[code])
    const named = countryColumn === undefined ? '' : textOf(record[countryColumn])
    const head =
      to === 'csv'
        ? columns.map(name => csvBytes(fieldText(record[name]), delimiter)).join(delimiter)
        : // The line as it came: parsed and written again, large numbers would lose digits.
          line.slice(1, -1).trim()
    const [city, state] = [plan.city, plan.state].map(name =>
      name === undefined ? '' : textOf(record[name]),
    )
    yield textRecord(plan, codeText, named, city, state, head)
  }
}

function textRecord(
  plan: CheckPlan,
  code: string,
  named: string,
  city: string,
  state: string,
  head: string,
): TextRecord {
  const hasLostZeros = plan.padDigits && /^\s*[1-9]\d*\s*$/.test(code)
  return {
    code: hasLostZeros ? Number(code) : code,
    country: countryOf(named.trim() || (plan.country ?? '')),
    city,
    state,
    head,
  }
}

/** A code or a country may be a number; anything else is `''`. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Any value as a field of CSV. */
function fieldText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}

export class ResultLines {
  readonly plan: CheckPlan
  readonly counts: Counts = noCounts()
  /** By the slot of the country; the last is for records that name none. */
  readonly #records = new Uint32Array(COUNTRY_SLOTS + 1)
  readonly #valid = new Uint32Array(COUNTRY_SLOTS + 1)
  /** Verdicts on city and state, each followed by the right value where the record differs, then the fields. */
  readonly #values: (string | number | undefined)[] = []
  #bytes: Buffer<ArrayBuffer>
  /** Bytes of the lines so far. */
  length = 0

  constructor(plan: CheckPlan, piece: Uint8Array) {
    this.plan = plan
    this.#bytes = Buffer.allocUnsafeSlow(2 * piece.length)
  }

  /** @param fits of city and state, where they are compared @param fields values of the fields of the place */
  add(record: TextRecord, verdict: Verdict, fits: Fits, fields: Values): void {
    const { plan, counts } = this
    const { reason } = verdict
    const { code, country } = record
    const letters = countrySlotOf(country)
    const slot = letters < 0 ? COUNTRY_SLOTS : letters
    if (reason === null) this.countValid(slot)
    else {
      this.#records[slot]++
      counts[reason]++
      countWrong(counts, `${capitals(slot)} ${String(code).slice(0, SHOWN_LENGTH)}`)
    }
    const values = this.#values
    values.length = 0
    for (const name of plan.compared) {
      const fit = fits[name]
      if (fit !== undefined) counts.fits[name][fit.verdict]++
      values.push(fit?.verdict, fit?.verdict === 'match' ? undefined : (fit?.value ?? undefined))
    }
    values.push(...fields)
    const isCsv = plan.to === 'csv'
    const line = (isCsv ? csvLine : jsonLine)(plan, record.head, verdict, values)
    const room = this.room(line.length * CHARACTER_BYTES_MAX)
    this.length += room.write(line, this.length, isCsv ? 'latin1' : 'utf8')
  }

  /** Counts a record of the country of `slot` whose code is valid. */
  countValid(slot: number): void {
    this.#records[slot]++
    this.#valid[slot]++
    this.counts.valid++
  }

  /** The bytes of the lines, with room for `more` after their `length`. */
  room(more: number): Buffer<ArrayBuffer> {
    if (this.length + more > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (this.length + more))
      larger.set(this.#bytes.subarray(0, this.length))
      this.#bytes = larger
    }
    return this.#bytes
  }

  /** @param problem fault of the record after the last */
  end(problem: string | null): CheckedPiece {
    const { counts } = this
    for (const [slot, records] of this.#records.entries()) {
      counts.records += records
      if (records > 0) counts.countries[capitals(slot)] = { records, valid: this.#valid[slot] }
    }
    return { bytes: this.#bytes.subarray(0, this.length), counts, problem }
  }
}

function capitals(slot: number): string {
  return slot === COUNTRY_SLOTS ? '' : slotText(slot)
}

function csvLine(plan: CheckPlan, head: string, verdict: Verdict, values: Values): string {
  const { reason, normalized, detail } = verdict
  const { added, delimiter, lineEnd } = plan
  let line = `${head}${delimiter}${reason === null}${delimiter}`
  if (normalized !== null) line += csvBytes(normalized, delimiter)
  line += delimiter + (reason ?? '') + delimiter + (detail ?? '')
  for (let i = 0; i < added.length - RESULT_COLUMNS.length; i++)
    line += values[i] === undefined ? delimiter : delimiter + csvBytes(String(values[i]), delimiter)
  return line + lineEnd
}

function jsonLine(plan: CheckPlan, head: string, verdict: Verdict, values: Values): string {
  const { reason, normalized, detail } = verdict
  const { added, lineEnd } = plan
  const all = [reason === null, normalized, reason, detail, ...values]
  const members = added.flatMap((name, i) =>
    all[i] === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(all[i])}`],
  )
  return `{${(head === '' ? members : [head, ...members]).join(',')}}${lineEnd}`
}

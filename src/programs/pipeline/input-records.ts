/** Reads records of the input as text, and writes their results as lines, in every format. */
import { isUtf8 } from 'node:buffer'
import { COUNTRY_SLOTS, countrySlotOf, slotText } from '../../postal/index/country-table.ts'
import { countryLetters } from '../../postal/library/country-texts.ts'
import type { Detail } from '../../postal/library/node.ts'
import type { Fits } from '../../postal/library/records.ts'
import { utf8Text } from '../../postal/text/bytes.ts'
import { bufferOf, CsvReader, csvBytes } from './csv-reader.ts'
import { InputError } from './input-error.ts'
import { JsonLineReader, type RecordBytes } from './json-line-reader.ts'
import { type CheckPlan, expectFree, parseLine, RESULT_COLUMNS, SHOWN_LENGTH } from './plan.ts'
import { type CheckReason, type Counts, countWrong, noCounts, SHOWN } from './summary.ts'

export interface TextRecord {
  /** A number to restore lost zeros. */
  code: string | number
  /** Two letters; `''` for an unreadable country. */
  country: string
  /** Text of the country. */
  named: string
  /** `''` if cities are not compared. */
  city: string
  /** `''` if states are not compared. */
  state: string
  /** Text before the result: a CSV record with one character per byte, or the members of a JSON object. */
  head: string
  /** Verdict on a record that needs no index: nobody understands its country, or it is malformed. */
  verdict?: Validation
  /** Fault of a malformed record. */
  fault?: string
}

export interface Validation {
  reason: CheckReason | null
  /** The code in its written form; null for an invalid code. */
  normalized: string | null
  detail?: Detail
}

/** Values of the columns after the verdict; undefined for an unknown value. */
export type Values = readonly (string | number | undefined)[]

export interface CheckedPiece {
  bytes: Uint8Array<ArrayBuffer>
  counts: Counts
  /** Fault of the first record that was not counted; null if there is none. */
  problem: string | null
}

/** A code that a spreadsheet wrote as a decimal number: `1013.0` is not 10130. */
const DECIMAL = /^\s*(\d+)\.0\s*$/
const UNREAD: Validation = { reason: 'unreadable_country', normalized: null }
/** Maximum bytes of UTF-8 for a unit of UTF-16. */
const CHARACTER_BYTES_MAX = 3

/** Handles a record and returns true, or returns false to have it read as text. */
type TryExact = (record: RecordBytes) => boolean

/** Reads records, except those that `tryExact` handles. @throws InputError at one that stops the check */
export function recordsOf(piece: Uint8Array, plan: CheckPlan, tryExact?: TryExact): Generator<TextRecord> {
  return (plan.from === 'csv' ? csvRecords : jsonRecords)(piece, plan, tryExact)
}

/** Returns the fault of a line that is not UTF-8, with the remedy. @param line one character per byte */
export function encodingFault(line: string): string {
  const shown = JSON.stringify(line.trimEnd().slice(0, SHOWN_LENGTH))
  return `${shown} is not UTF-8: name the encoding, such as --encoding windows-1252`
}

/** Returns a record with only its text, in the code's column. @throws InputError if it stops the check */
function malformedRecord(
  { malformed, to, columns, code, delimiter }: CheckPlan,
  text: string,
  fault: string,
): TextRecord {
  if (malformed === 'stop') throw new InputError(fault)
  const head =
    to === 'csv'
      ? columns.map(name => (name === code ? csvBytes(text, delimiter) : '')).join(delimiter)
      : `${JSON.stringify(code)}:${JSON.stringify(text)}`
  const verdict = { reason: 'malformed', normalized: null } as const
  return { code: text, country: '', named: '', city: '', state: '', head, verdict, fault }
}

/** Returns the numbers of the columns of a plan; -1 for a missing column. */
export function columnNumbers({ columns, code, countryColumn, city, state }: CheckPlan) {
  const [codeAt, countryAt, cityAt, stateAt] = [code, countryColumn, city, state].map(name =>
    name === undefined ? -1 : columns.indexOf(name),
  )
  return { codeAt, countryAt, cityAt, stateAt }
}

function* csvRecords(piece: Uint8Array, plan: CheckPlan, tryExact?: TryExact): Generator<TextRecord> {
  const { columns, delimiter, ragged, to } = plan
  const { codeAt, countryAt, cityAt, stateAt } = columnNumbers(plan)
  const wanted = [codeAt, countryAt, cityAt, stateAt]
  const reader = new CsvReader(piece, delimiter)
  const isWhole = isUtf8(piece)
  while (reader.next()) {
    const missing = columns.length - reader.count
    const isText = isWhole || isUtf8(reader.bytes.subarray(reader.start, reader.end))
    const fault = isText ? reader.fault : encodingFault(reader.record)
    // The results of a longer record would not be below their header.
    if (fault !== undefined || missing < 0 || (missing > 0 && !ragged)) {
      const text = isText ? utf8Text(piece, reader.start, reader.end) : reader.record
      const counted = `it has ${reader.count} fields, the header has ${columns.length}`
      yield malformedRecord(plan, text, fault ?? counted)
      continue
    }
    if (missing === 0 && tryExact?.(reader)) continue
    const head =
      to === 'csv'
        ? reader.record + delimiter.repeat(missing)
        : columns.map((name, i) => `${JSON.stringify(name)}:${JSON.stringify(reader.field(i))}`).join(',')
    const [code, named, city, state] = wanted.map(at => reader.field(at))
    yield textRecord(plan, code, named, city, state, head)
  }
}

function* jsonRecords(piece: Uint8Array, plan: CheckPlan, tryExact?: TryExact): Generator<TextRecord> {
  const { columns, added, delimiter, countryColumn, code, to } = plan
  const isWhole = isUtf8(piece)
  const text = bufferOf(piece)
  const reader = new JsonLineReader(piece, plan)
  while (reader.next()) {
    if (tryExact !== undefined && reader.scan() && tryExact(reader)) continue
    const { lineStart, lineEnd } = reader
    const isText = isWhole || isUtf8(piece.subarray(lineStart, lineEnd))
    const line = text.toString(isText ? 'utf8' : 'latin1', lineStart, lineEnd).trim()
    if (line === '') continue
    const record = isText ? parseLine(line) : encodingFault(line)
    if (typeof record === 'string') {
      yield malformedRecord(plan, line, record)
      continue
    }
    if (to === 'ndjson') expectFree(added, name => Object.hasOwn(record, name))
    const given = record[code]
    const named = countryColumn === undefined ? '' : textOf(record[countryColumn])
    const head =
      to === 'csv'
        ? columns.map(name => csvBytes(fieldText(record[name]), delimiter)).join(delimiter)
        : // The original line: large numbers would lose digits when parsed and written again.
          line.slice(1, -1).trim()
    const [city, state] = [plan.city, plan.state].map(name =>
      name === undefined ? '' : textOf(record[name]),
    )
    yield textRecord(plan, typeof given === 'number' ? given : textOf(given), named, city, state, head)
  }
}

function textRecord(
  plan: CheckPlan,
  given: string | number,
  named: string,
  city: string,
  state: string,
  head: string,
): TextRecord {
  const [, whole] = typeof given === 'string' ? (DECIMAL.exec(given) ?? []) : []
  const code = whole ?? given
  const hasLostZeros = plan.padDigits && typeof code === 'string' && /^\s*[1-9]\d*\s*$/.test(code)
  const text = named.trim() || (plan.country ?? '')
  const country = countryLetters(text) ?? ''
  const read = { code: hasLostZeros ? Number(code) : code, country, named: text, city, state, head }
  return country === '' ? { ...read, verdict: UNREAD } : read
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function fieldText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}

export class ResultLines {
  readonly plan: CheckPlan
  readonly counts: Counts = noCounts()
  /** Records by the slot of their country; the last is for records without one. */
  readonly #records = new Uint32Array(COUNTRY_SLOTS + 1)
  /** Records with a valid code, by the same slots. */
  readonly #valid = new Uint32Array(COUNTRY_SLOTS + 1)
  /** Verdicts on city and state, each followed by a correction, then the fields. */
  readonly #values: (string | number | undefined)[] = []
  #bytes: Buffer<ArrayBuffer>
  /** Bytes of the lines so far. */
  length = 0

  constructor(plan: CheckPlan, piece: Uint8Array) {
    this.plan = plan
    this.#bytes = Buffer.allocUnsafeSlow(2 * piece.length)
  }

  /** @param fits verdicts on the compared city and state @param fields values of the place's fields */
  add(record: TextRecord, verdict: Validation, fits: Fits, fields: Values): void {
    const { plan, counts } = this
    const { reason } = verdict
    const { code, country, fault } = record
    const letters = countrySlotOf(country)
    const slot = letters < 0 ? COUNTRY_SLOTS : letters
    if (reason === null) this.countValid(slot)
    else {
      this.#records[slot]++
      counts[reason]++
      const shown = String(code).slice(0, SHOWN_LENGTH)
      if (reason === 'unreadable_country')
        countWrong(counts.wrongCountries, record.named.slice(0, SHOWN_LENGTH))
      else if (fault === undefined) countWrong(counts.wrongCodes, `${capitals(slot)} ${shown}`)
      else if (counts.faults.length < SHOWN)
        counts.faults.push({ record: this.#records.reduce((all, records) => all + records, 0), fault })
    }
    if (fault !== undefined && plan.malformed === 'skip') return
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
    const room = this.ensureRoom(line.length * CHARACTER_BYTES_MAX)
    this.length += room.write(line, this.length, isCsv ? 'latin1' : 'utf8')
  }

  countValid(slot: number): void {
    this.#records[slot]++
    this.#valid[slot]++
    this.counts.valid++
  }

  /** Returns the bytes of the lines, with room for `more` after their `length`. */
  ensureRoom(more: number): Buffer<ArrayBuffer> {
    if (this.length + more > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (this.length + more))
      larger.set(this.#bytes.subarray(0, this.length))
      this.#bytes = larger
    }
    return this.#bytes
  }

  /** Returns the lines and their counts. @param problem fault of the next record; null if there is none */
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

function csvLine(plan: CheckPlan, head: string, verdict: Validation, values: Values): string {
  const { reason, normalized, detail } = verdict
  const { added, delimiter, lineEnd } = plan
  let line = `${head}${delimiter}${reason === null}${delimiter}`
  if (normalized !== null) line += csvBytes(normalized, delimiter)
  line += delimiter + (reason ?? '') + delimiter + (detail ?? '')
  for (let i = 0; i < added.length - RESULT_COLUMNS.length; i++)
    line += values[i] === undefined ? delimiter : delimiter + csvBytes(String(values[i]), delimiter)
  return line + lineEnd
}

function jsonLine(plan: CheckPlan, head: string, verdict: Validation, values: Values): string {
  const { reason, normalized, detail } = verdict
  const { added, lineEnd } = plan
  const all = [reason === null, normalized, reason, detail, ...values]
  const members = added.flatMap((name, i) =>
    all[i] === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(all[i])}`],
  )
  return `{${(head === '' ? members : [head, ...members]).join(',')}}${lineEnd}`
}

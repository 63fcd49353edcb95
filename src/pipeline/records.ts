/** Records of the input as text, and their results as lines: for every format, from an index or through a service. */
import { isUtf8 } from 'node:buffer'
import { COUNTRY_SLOTS, countrySlot, slotText } from '../index/country-table.ts'
import { countryOf } from '../library/country-texts.ts'
import type { Detail, InvalidReason, Verification } from '../library/main.ts'
import { utf8Text } from '../text/bytes.ts'
import { type Counts, countOne, noCounts } from './counts.ts'
import { CsvReader, csvField } from './csv.ts'
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
  /** Text before the result: a record of CSV, or the inside of a JSON object. */
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
const encoder = new TextEncoder()

/** Reads a piece of whole records. @throws InputError at a record that cannot be understood */
export function recordsOf(piece: Uint8Array, plan: CheckPlan): Generator<TextRecord> {
  const read = plan.from === 'csv' ? csvRecords : jsonRecords
  if (isUtf8(piece)) return read(utf8Text(piece, 0, piece.length), plan)
  return untilDamaged(read(Buffer.from(piece).toString(), plan), piece)
}

/** Yields the records before the first one that is not UTF-8, which has replacement characters. */
function* untilDamaged(records: Iterable<TextRecord>, piece: Uint8Array): Generator<TextRecord> {
  for (const record of records) {
    if (record.head.includes('\ufffd')) break
    yield record
  }
  expectUtf8(piece)
}

/** @throws InputError that names the first line that is not UTF-8, and what to do */
export function expectUtf8(bytes: Uint8Array): void {
  if (!isUtf8(bytes)) throw new InputError(notUtf8(bytes))
}

function* csvRecords(text: string, plan: CheckPlan): Generator<TextRecord> {
  const { columns, delimiter, ragged, to } = plan
  const codeAt = columns.indexOf(plan.code)
  const countryAt = plan.countryColumn === undefined ? -1 : columns.indexOf(plan.countryColumn)
  const [cityAt, stateAt] = [plan.city, plan.state].map(name =>
    name === undefined ? -1 : columns.indexOf(name),
  )
  const reader = new CsvReader(text, delimiter)
  while (reader.next()) {
    const { record, fields } = reader
    const missing = columns.length - fields.length
    // The results of a longer record would stand in other columns than the header says.
    if (missing < 0 || (missing > 0 && !ragged))
      throw new InputError(`${fields.length} fields, the header has ${columns.length}`)
    const head =
      to === 'csv'
        ? record + delimiter.repeat(missing)
        : columns.map((name, i) => `${JSON.stringify(name)}:${JSON.stringify(fields[i] ?? '')}`).join(',')
    yield textRecord(
      plan,
      at(fields, codeAt),
      at(fields, countryAt),
      at(fields, cityAt),
      at(fields, stateAt),
      head,
    )
  }
}

/** A field; `''` where there is none. A read at -1 would take longer than all else that is done for a record. */
function at(fields: readonly string[], column: number): string {
  return column >= 0 && column < fields.length ? fields[column] : ''
}

function* jsonRecords(text: string, plan: CheckPlan): Generator<TextRecord> {
  const { columns, delimiter, countryColumn, code, to } = plan
  for (const each of text.split('\n')) {
    const line = each.trim()
    if (line === '') continue
    const record = parsedLine(line)
    const codeText = textOf(record[code])
    const named = countryColumn === undefined ? '' : textOf(record[countryColumn])
    const head =
      to === 'csv'
        ? columns.map(name => csvField(fieldText(record[name]), delimiter)).join(delimiter)
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

/** Names the first line that is not UTF-8, with its bytes. */
function notUtf8(piece: Uint8Array): string {
  // A character for each byte.
  const lines = Buffer.from(piece).toString('latin1').split('\n')
  const line = lines.find(each => !isUtf8(Buffer.from(each, 'latin1'))) ?? ''
  return `${JSON.stringify(line.slice(0, SHOWN_LENGTH))} is not UTF-8; name the encoding, such as --encoding windows-1252`
}

export class ResultLines {
  readonly plan: CheckPlan
  readonly counts: Counts = noCounts()
  /** By the slot of the country; the last is for records that name none. */
  readonly #records = new Uint32Array(COUNTRY_SLOTS + 1)
  readonly #valid = new Uint32Array(COUNTRY_SLOTS + 1)
  #text = ''

  constructor(plan: CheckPlan) {
    this.plan = plan
  }

  /** @param fits of city and state, where they are compared @param fields values of the fields of the place */
  add(record: TextRecord, verdict: Verdict, fits: Fits, fields: Values): void {
    const { plan, counts } = this
    const { reason } = verdict
    const { code, country } = record
    const letters = country.length === 2 ? countrySlot(country.charCodeAt(0), country.charCodeAt(1)) : -1
    const slot = letters < 0 ? COUNTRY_SLOTS : letters
    this.#records[slot]++
    counts[reason ?? 'valid']++
    if (reason === null) this.#valid[slot]++
    else countOne(counts.wrong, `${capitals(slot)} ${String(code).slice(0, SHOWN_LENGTH)}`)
    const values = plan.compared.length === 0 ? fields : this.#withFits(fits, fields)
    this.#text += (plan.to === 'csv' ? csvLine : jsonLine)(plan, record.head, verdict, values)
  }

  /** Verdicts on city and state, with what is right where the record has something else, before the fields. */
  #withFits(fits: Fits, fields: Values): Values {
    const values: (string | number | undefined)[] = []
    for (const name of this.plan.compared) {
      const fit = fits[name]
      if (fit !== undefined) this.counts.fits[name][fit.verdict]++
      values.push(fit?.verdict, fit?.verdict === 'match' ? undefined : (fit?.value ?? undefined))
    }
    return values.concat(fields)
  }

  /** @param problem fault of the record after the last */
  end(problem: string | null): CheckedPiece {
    const { counts } = this
    for (const [slot, records] of this.#records.entries()) {
      counts.records += records
      if (records > 0) counts.countries[capitals(slot)] = { records, valid: this.#valid[slot] }
    }
    return { bytes: encoder.encode(this.#text), counts, problem }
  }
}

function capitals(slot: number): string {
  return slot === COUNTRY_SLOTS ? '' : slotText(slot)
}

function csvLine(plan: CheckPlan, head: string, verdict: Verdict, values: Values): string {
  const { reason, normalized, detail } = verdict
  const { added, delimiter, lineEnd } = plan
  let line = `${head}${delimiter}${reason === null}${delimiter}`
  if (normalized !== null) line += csvField(normalized, delimiter)
  line += delimiter + (reason ?? '') + delimiter + (detail ?? '')
  for (let i = 0; i < added.length - RESULT_COLUMNS.length; i++)
    line += values[i] === undefined ? delimiter : delimiter + csvField(String(values[i]), delimiter)
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

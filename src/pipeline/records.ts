/** Records of the input as text, and their results as lines: for every format, from an index or through a service. */
import { isUtf8 } from 'node:buffer'
import type { InvalidReason, Verification } from '../library/main.ts'
import { utf8Text } from '../text/bytes.ts'
import { countryOf } from './country-texts.ts'
import { type Counts, countOne, noCounts } from './counts.ts'
import { CsvReader, csvField } from './csv.ts'
import { InputError } from './input-error.ts'
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
  /** Null when it is not. */
  normalized: string | null
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
  if (!isUtf8(piece)) throw new InputError(notUtf8(piece))
  const text = utf8Text(piece, 0, piece.length)
  return plan.from === 'csv' ? csvRecords(text, plan) : jsonRecords(text, plan)
}

function* csvRecords(text: string, plan: CheckPlan): Generator<TextRecord> {
  const { columns, delimiter, takesRagged, to } = plan
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
    if (missing < 0 || (missing > 0 && !takesRagged))
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
  const { delimiter, countryColumn, code, to } = plan
  for (const each of text.split('\n')) {
    const line = each.trim()
    if (line === '') continue
    const record = parsedLine(line)
    const codeText = textOf(record[code])
    const named = countryColumn === undefined ? '' : textOf(record[countryColumn])
    const head =
      to === 'csv'
        ? `${csvField(codeText, delimiter)}${delimiter}${csvField(named, delimiter)}`
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
  const hasLostZeros = plan.padsDigits && /^\s*[1-9]\d*\s*$/.test(code)
  return {
    code: hasLostZeros ? Number(code) : code,
    country: countryOf(named.trim()) || (plan.country ?? ''),
    city,
    state,
    head,
  }
}

/** Returns the object on a line of NDJSON. @throws InputError when it is something else */
function parsedLine(line: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new InputError(`${JSON.stringify(line.slice(0, SHOWN_LENGTH))} is not JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InputError(`${line.slice(0, SHOWN_LENGTH)} is not an object`)
  return value as Record<string, unknown>
}

interface Country {
  /** Two capitals; `''` for a text that names none. */
  readonly cc: string
  records: number
  valid: number
}

/** A code or a country may be a number; anything else is `''`. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
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
  /** By their text in this piece. */
  readonly #countries = new Map<string, Country>()
  #text = ''

  constructor(plan: CheckPlan) {
    this.plan = plan
  }

  /** @param fits of city and state, where they are compared @param fields values of the fields of the place */
  add(record: TextRecord, verdict: Verdict, fits: Fits, fields: Values): void {
    const { plan, counts } = this
    const { reason } = verdict
    const own = this.#countries.get(record.country) ?? this.#countryOf(record.country)
    counts.records++
    own.records++
    counts[reason ?? 'valid']++
    if (reason === null) own.valid++
    else countOne(counts.wrong, `${own.cc} ${String(record.code).slice(0, SHOWN_LENGTH)}`)
    const values = plan.compared.length === 0 ? fields : [...this.#fitted(fits), ...fields]
    this.#text += (plan.to === 'csv' ? csvLine : jsonLine)(plan, record.head, verdict, values)
  }

  /** Verdicts on city and state; the right one is said where the record has another. */
  #fitted(fits: Fits): (string | undefined)[] {
    return this.plan.compared.flatMap(name => {
      const fit = fits[name]
      if (fit === undefined) return [undefined, undefined]
      this.counts.fits[name][fit.verdict]++
      return [fit.verdict, fit.verdict === 'match' ? undefined : (fit.value ?? undefined)]
    })
  }

  #countryOf(text: string): Country {
    const cc = /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : ''
    const known = [...this.#countries.values()].find(country => country.cc === cc)
    const country = known ?? { cc, records: 0, valid: 0 }
    this.#countries.set(text, country)
    return country
  }

  /** @param problem fault of the record after the last */
  end(problem: string | null): CheckedPiece {
    for (const { cc, records, valid } of this.#countries.values())
      this.counts.countries[cc] = { records, valid }
    return { bytes: encoder.encode(this.#text), counts: this.counts, problem }
  }
}

function csvLine(plan: CheckPlan, head: string, { reason, normalized }: Verdict, values: Values): string {
  const { added, delimiter, lineEnd } = plan
  let line = `${head}${delimiter}${reason === null}${delimiter}`
  if (normalized !== null) line += csvField(normalized, delimiter)
  line += delimiter + (reason ?? '')
  for (let i = 0; i < added.length - RESULT_COLUMNS.length; i++)
    line += values[i] === undefined ? delimiter : delimiter + csvField(String(values[i]), delimiter)
  return line + lineEnd
}

function jsonLine(plan: CheckPlan, head: string, { reason, normalized }: Verdict, values: Values): string {
  const { added, lineEnd } = plan
  const all = [reason === null, normalized, reason, ...values]
  const members = added.flatMap((name, i) =>
    all[i] === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(all[i])}`],
  )
  return `{${(head === '' ? members : [head, ...members]).join(',')}}${lineEnd}`
}

/** Records of the input as text, and their results as lines: for every format, from an index or through a service. */
import { isUtf8 } from 'node:buffer'
import type { InvalidReason, Verification } from '../library/main.ts'
import { utf8Text } from '../text/bytes.ts'
import { countryOf } from './country-texts.ts'
import { type Counts, noCounts } from './counts.ts'
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
const COMPARED = ['city', 'state'] as const

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
    const [city, state] = [fields[cityAt] ?? '', fields[stateAt] ?? '']
    yield textRecord(plan, fields[codeAt] ?? '', fields[countryAt] ?? '', city, state, head)
  }
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
  readonly #capitals = new Map<string, string>()
  #text = ''

  constructor(plan: CheckPlan) {
    this.plan = plan
  }

  /** @param fits of city and state, where they are compared @param fields values of the fields of the place */
  add(record: TextRecord, verdict: Verdict, fits: Fits, fields: Values): void {
    const { plan, counts } = this
    this.#count(record, verdict.reason)
    const values: (string | number | undefined)[] = []
    for (const name of COMPARED) {
      if (plan[name] === undefined) continue
      const fit = fits[name]
      // The right one is said where the record has another.
      values.push(fit?.verdict, fit?.verdict === 'match' ? undefined : (fit?.value ?? undefined))
      if (fit !== undefined) counts.fits[name][fit.verdict]++
    }
    for (const value of fields) values.push(value)
    this.#text += (plan.to === 'csv' ? csvLine : jsonLine)(plan, record.head, verdict, values)
  }

  #count({ code, country }: TextRecord, reason: InvalidReason | null): void {
    const { counts } = this
    let cc = this.#capitals.get(country)
    if (cc === undefined) {
      cc = /^[A-Za-z]{2}$/.test(country) ? country.toUpperCase() : ''
      counts.countries[cc] ??= { records: 0, valid: 0 }
      this.#capitals.set(country, cc)
    }
    counts.records++
    counts[reason ?? 'valid']++
    counts.countries[cc].records++
    if (reason === null) counts.countries[cc].valid++
    else {
      const text = `${cc} ${String(code).slice(0, SHOWN_LENGTH)}`
      counts.wrong[text] = (counts.wrong[text] ?? 0) + 1
    }
  }

  /** @param problem fault of the record after the last */
  end(problem: string | null): CheckedPiece {
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

/** Records of the input as text, and their results as lines: for every format, from an index or through a service. */
import { isUtf8 } from 'node:buffer'
import type { InvalidReason } from '../library/main.ts'
import { utf8Text } from '../text/bytes.ts'
import { countryOf } from './country-texts.ts'
import { CsvReader, csvField } from './csv.ts'
import { InputError } from './input-error.ts'
import { type CheckPlan, type Counts, noCounts } from './plan.ts'

export interface TextRecord {
  /** A number when its lost zeros are wanted. */
  code: string | number
  /** Two letters, unless the record names no country that is known. */
  country: string
  /** Text before the result: a record of CSV, or the inside of a JSON object. */
  head: string
}

/** Says if a code is valid. */
export interface Verdict {
  reason: InvalidReason | null
  /** Null when it is not. */
  normalized: string | null
}

/** Values of the fields of a plan, undefined where one is not known; none for a code that is not valid. */
export type Values = readonly (string | number | undefined)[]

/** The results of a piece of the input. */
export interface CheckedPiece {
  bytes: Uint8Array<ArrayBuffer>
  counts: Counts
  /** Fault of the record after those that were counted. */
  problem: string | null
}

/** Characters of a line that a message shows. */
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
    yield textRecord(plan, fields[codeAt] ?? '', fields[countryAt] ?? '', head)
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
    yield textRecord(plan, codeText, named, head)
  }
}

function textRecord(plan: CheckPlan, code: string, named: string, head: string): TextRecord {
  const hasLostZeros = plan.padsDigits && /^\s*[1-9]\d*\s*$/.test(code)
  return {
    code: hasLostZeros ? Number(code) : code,
    country: countryOf(named.trim()) || (plan.country ?? ''),
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

/** Results of a piece, line by line. */
export class ResultLines {
  readonly #plan: CheckPlan
  readonly counts: Counts = noCounts()
  #text = ''

  constructor(plan: CheckPlan) {
    this.#plan = plan
  }

  add(head: string, verdict: Verdict, values: Values): void {
    this.counts.records++
    this.counts[verdict.reason ?? 'valid']++
    this.#text += (this.#plan.to === 'csv' ? csvLine : jsonLine)(this.#plan, head, verdict, values)
  }

  /** @param problem fault of the record after the last */
  end(problem: string | null): CheckedPiece {
    return { bytes: encoder.encode(this.#text), counts: this.counts, problem }
  }
}

function csvLine(plan: CheckPlan, head: string, { reason, normalized }: Verdict, values: Values): string {
  const { delimiter, fields, lineEnd } = plan
  let line = `${head}${delimiter}${reason === null}${delimiter}`
  if (normalized !== null) line += csvField(normalized, delimiter)
  line += delimiter + (reason ?? '')
  for (let i = 0; i < fields.length; i++) line += delimiter + csvField(String(values[i] ?? ''), delimiter)
  return line + lineEnd
}

function jsonLine(plan: CheckPlan, head: string, { reason, normalized }: Verdict, values: Values): string {
  const { fields, lineEnd, prefix } = plan
  const known = fields.map((name, i) => [name, values[i]]).filter(([, value]) => value !== undefined)
  const result = [['valid', reason === null], ['normalized', normalized], ['reason', reason], ...known]
  const members = result.map(
    ([name, value]) => `${JSON.stringify(`${prefix}${name}`)}:${JSON.stringify(value)}`,
  )
  return `{${(head === '' ? members : [head, ...members]).join(',')}}${lineEnd}`
}

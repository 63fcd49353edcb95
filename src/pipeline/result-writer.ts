/** Writes records with their results into one growing buffer: CSV after CSV as bytes, all else as text. */
import { ACCURACIES, accuracyAt } from '../format/accuracy.ts'
import { ADMIN_WORDS, ADMIN_ZONE, adminBefore } from '../format/admin-entry.ts'
import {
  DEGREE_SCALE,
  elevation,
  hasElevation,
  isPlaced,
  latitude,
  longitude,
} from '../format/code-record.ts'
import { WRITTEN_BYTES_MAX } from '../format/layout.ts'
import { nameOfCode } from '../index/codes/code-name.ts'
import { copyWritten } from '../index/codes/written.ts'
import type { Country } from '../index/country.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { plainText } from '../index/text-section.ts'
import { asciiBytes, utf8Text } from '../text/bytes.ts'
import { csvField } from './csv.ts'
import type { Judge, Reason } from './judge.ts'
import type { CheckPlan, PlaceField } from './plan.ts'

/** Bytes that a verdict can take in CSV, a written form in quotes included. */
const VERDICT_BYTES_MAX = 128
/** Country codes and areas of a place, by field. */
const AREA_OF_FIELD: Partial<Record<PlaceField, number>> = { state: 0, ST: 1, county: 2 }

const encoder = new TextEncoder()

export class ResultWriter {
  readonly #index: PostalIndex
  readonly #plan: CheckPlan
  /** What follows a record in CSV: before the written form of a valid code, after it, and for each reason. */
  readonly #valid: Uint8Array
  readonly #delimiter: Uint8Array
  readonly #invalid: Readonly<Record<Reason, Uint8Array>>
  readonly #lineEnd: Uint8Array
  readonly #form = new Uint8Array(WRITTEN_BYTES_MAX)
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  length = 0

  constructor(index: PostalIndex, plan: CheckPlan) {
    const { delimiter: d, fields, lineEnd } = plan
    this.#index = index
    this.#plan = plan
    this.#delimiter = asciiBytes(d)
    this.#lineEnd = asciiBytes(lineEnd)
    this.#valid = asciiBytes(`${d}true${d}`)
    const after = (reason: Reason) => asciiBytes(`${d}false${d}${d}${reason}${d.repeat(fields.length)}`)
    this.#invalid = {
      not_found: after('not_found'),
      invalid_format: after('invalid_format'),
      unknown_country: after('unknown_country'),
    }
  }

  /** Begins a new buffer. @param bytesWanted its size at first */
  begin(bytesWanted: number): void {
    this.bytes = new Uint8Array(bytesWanted)
    this.length = 0
  }

  /** Copies `source[start, end)`, a record of CSV, and as many empty fields as it lacks, then its result. */
  csvRecord(
    source: Uint8Array,
    start: number,
    end: number,
    missing: number,
    judge: Judge,
    reason: Reason | null,
  ): void {
    this.#reserve(end - start + missing + VERDICT_BYTES_MAX)
    this.#copy(source, start, end)
    for (let field = 0; field < missing; field++) this.#put(this.#delimiter)
    this.csvResult(judge, reason)
  }

  /** The result alone, and the end of the line. */
  csvResult(judge: Judge, reason: Reason | null): void {
    this.#reserve(VERDICT_BYTES_MAX)
    if (reason !== null) this.#put(this.#invalid[reason])
    else {
      this.#put(this.#valid)
      this.#putForm(judge)
      this.#put(this.#delimiter)
      if (this.#plan.fields.length > 0) this.#putPlace(judge)
    }
    this.#put(this.#lineEnd)
  }

  /** Writes `text`. */
  text(text: string): void {
    const bytes = encoder.encode(text)
    this.#reserve(bytes.length)
    this.#copy(bytes, 0, bytes.length)
  }

  /** The result as the inside of a JSON object. */
  jsonResult(judge: Judge, reason: Reason | null): string {
    const { prefix, fields } = this.#plan
    const isValid = reason === null
    const result: Record<string, unknown> = {
      valid: isValid,
      normalized: isValid ? this.#formText(judge) : null,
      reason,
    }
    if (isValid)
      for (const field of fields) {
        const value = this.#placeField(judge, field)
        if (value !== '') result[field] = value
      }
    return Object.entries(result)
      .map(([name, value]) => `${JSON.stringify(prefix + name)}:${JSON.stringify(value)}`)
      .join(',')
  }

  #reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }

  #put(piece: Uint8Array): void {
    for (let i = 0; i < piece.length; i++) this.bytes[this.length++] = piece[i]
  }

  #copy(source: Uint8Array, start: number, end: number): void {
    const { bytes } = this
    let at = this.length
    for (let i = start; i < end; i++) bytes[at++] = source[i]
    this.length = at
  }

  /** A form made by a mask has no character that CSV would need quotes for; one from a source may. */
  #putForm(judge: Judge): void {
    const { country, query, code } = judge
    const { hasWrittenApart } = country as Country
    if (hasWrittenApart) {
      this.#copyText(csvField(this.#formText(judge), this.#plan.delimiter))
      return
    }
    const { symbols, keyStart, keyLength } = query
    const { bytes, length } = this
    this.length = copyWritten(
      this.#index,
      country as Country,
      code,
      symbols,
      keyStart,
      keyLength,
      bytes,
      length,
    )
  }

  #copyText(text: string): void {
    const bytes = encoder.encode(text)
    this.#copy(bytes, 0, bytes.length)
  }

  #formText({ country, query, code }: Judge): string {
    const { symbols, keyStart, keyLength } = query
    const form = this.#form
    const end = copyWritten(this.#index, country as Country, code, symbols, keyStart, keyLength, form, 0)
    return utf8Text(form, 0, end)
  }

  #putPlace(judge: Judge): void {
    const { fields, delimiter } = this.#plan
    const texts = fields.map(field => csvField(String(this.#placeField(judge, field)), delimiter))
    this.text(delimiter + texts.join(delimiter))
    this.#reserve(VERDICT_BYTES_MAX)
  }

  /** `''` when it is unknown. */
  #placeField({ country, code }: Judge, field: PlaceField): string | number {
    const { codes, text, admins, zones } = this.#index
    const name = nameOfCode(this.#index, country as Country, code)
    const admin = adminBefore(text, name) * ADMIN_WORDS
    switch (field) {
      case 'city':
        return plainText(text, name)
      case 'state':
      case 'ST':
      case 'county':
        return plainText(text, admins[admin + (AREA_OF_FIELD[field] as number)])
      case 'latitude':
        return isPlaced(codes, code) ? latitude(codes, code) / DEGREE_SCALE : ''
      case 'longitude':
        return isPlaced(codes, code) ? longitude(codes, code) / DEGREE_SCALE : ''
      case 'accuracy':
        return ACCURACIES[accuracyAt(this.#index.accuracies, code)]
      case 'timezone':
        return zones.name(admins[admin + ADMIN_ZONE])
      case 'elevation':
        return hasElevation(codes, code) ? elevation(codes, code) : ''
      default:
        return field satisfies never
    }
  }
}

/**
 * CSV as RFC 4180 has it, on bytes: fields may be quoted, quotes are doubled inside, a record may span lines. A quote inside
 * an unquoted field is a character like any other. Records end in LF or CRLF; blank lines are no records.
 *
 * Our own scanner, since nothing is made of most fields: a script with csv-parse and a Map takes some ten times the processor
 * time for the same results (`npm run bench -- check`).
 */
import { utf8Text } from '../text/bytes.ts'
import { InputError } from './plan.ts'

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/** Why a record cannot be read. */
const UNCLOSED = 'a quote that is opened and not closed'
const STRAY = 'text after a closing quote'

/** Reads records one after another. Two columns are read, the others only counted. */
export class CsvReader {
  readonly #delimiter: number
  readonly #codeColumn: number
  readonly #countryColumn: number
  bytes: Uint8Array = new Uint8Array(0)
  /** Where the next record begins. */
  at = 0
  /** The record, without what ends its line. */
  recordStart = 0
  recordEnd = 0
  /** Number of its fields. */
  fieldCount = 0
  /** Contents of the two columns, without quotes; empty when the record is too short. */
  codeStart = 0
  codeEnd = 0
  countryStart = 0
  countryEnd = 0
  /** Whether one of the two has doubled quotes. */
  hasEscapes = false

  /** @param delimiter one ASCII character @param countryColumn -1 for none */
  constructor(delimiter: string, codeColumn: number, countryColumn: number) {
    this.#delimiter = delimiter.charCodeAt(0)
    this.#codeColumn = codeColumn
    this.#countryColumn = countryColumn
  }

  /** Begins with `bytes`, which hold whole records; the last one may lack its line end. */
  begin(bytes: Uint8Array): void {
    this.bytes = bytes
    this.at = 0
  }

  /** Reads the next record. False at the end. @throws InputError */
  next(): boolean {
    const { bytes } = this
    const delimiter = this.#delimiter
    const end = bytes.length
    let at = this.at
    while (at < end && (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF))) at++
    if (at === end) return false
    this.recordStart = at
    this.codeStart = this.codeEnd = this.countryStart = this.countryEnd = 0
    this.hasEscapes = false
    for (let column = 0; ; column++) {
      let start = at
      let stop: number
      let escaped = false
      if (at < end && bytes[at] === QUOTE) {
        start++
        stop = closingQuote(bytes, start)
        if (stop < 0) throw new InputError(UNCLOSED)
        escaped = stop - start > 1 && hasQuote(bytes, start, stop)
        at = stop + 1
        if (at < end && bytes[at] === CR && bytes[at + 1] === LF) at++
        if (at < end && bytes[at] !== delimiter && bytes[at] !== LF) throw new InputError(STRAY)
        this.recordEnd = stop + 1
      } else {
        while (at < end && bytes[at] !== delimiter && bytes[at] !== LF) at++
        stop = at
        if (stop > start && bytes[stop - 1] === CR && (at === end || bytes[at] === LF)) stop--
        this.recordEnd = stop
      }
      if (column === this.#codeColumn) {
        this.codeStart = start
        this.codeEnd = stop
        if (escaped) this.hasEscapes = true
      } else if (column === this.#countryColumn) {
        this.countryStart = start
        this.countryEnd = stop
        if (escaped) this.hasEscapes = true
      }
      if (at === end || bytes[at] === LF) {
        this.fieldCount = column + 1
        this.at = at === end ? end : at + 1
        return true
      }
      at++
    }
  }
}

/** The quote that ends what begins at `start`, after an opening quote; -1 when there is none. */
function closingQuote(bytes: Uint8Array, start: number): number {
  let at = start
  for (;;) {
    while (at < bytes.length && bytes[at] !== QUOTE) at++
    if (at === bytes.length) return -1
    if (bytes[at + 1] !== QUOTE) return at
    at += 2
  }
}

function hasQuote(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === QUOTE) return true
  return false
}

/** Where the last whole record of `bytes` ends, line end included; 0 when there is none. */
export function recordsEnd(bytes: Buffer, delimiter: string): number {
  // Nearly every file without quotes takes this way, at the speed of memory.
  if (!bytes.includes(QUOTE)) return bytes.lastIndexOf(LF) + 1
  const separator = delimiter.charCodeAt(0)
  let boundary = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) {
      at = closingQuote(bytes, at + 1)
      // The quote may be closed by the first byte of the next piece, or go on there when it is doubled.
      if (at < 0 || at + 1 === bytes.length) return boundary
    }
    while (at < bytes.length && bytes[at] !== separator && bytes[at] !== LF) at++
    if (bytes[at] === LF) boundary = at + 1
  }
  return boundary
}

/** The fields of the record in `bytes[start, end)` as text. */
export function fieldsOf(bytes: Uint8Array, start: number, end: number, delimiter: string): string[] {
  const separator = delimiter.charCodeAt(0)
  const fields: string[] = []
  for (let at = start; ; at++) {
    if (at < end && bytes[at] === QUOTE) {
      const stop = closingQuote(bytes, at + 1)
      if (stop < 0) throw new InputError(UNCLOSED)
      fields.push(utf8Text(bytes, at + 1, stop).replaceAll('""', '"'))
      at = stop + 1
    } else {
      const from = at
      while (at < end && bytes[at] !== separator) at++
      fields.push(utf8Text(bytes, from, at))
    }
    if (at >= end) return fields
  }
}

/** A field as CSV has it: in quotes when it needs them. */
export function csvField(text: string, delimiter: string): string {
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * CSV as RFC 4180 has it: fields may be quoted, quotes are doubled inside, a record may span lines. A quote inside an unquoted field is
 * a character like any other. Records end in LF or CRLF; blank lines are no records.
 */
import { utf8Text } from '../text/bytes.ts'
import { QUOTE } from '../text/json-bytes.ts'
import { InputError } from './input-error.ts'

const [CR, SPACE, TILDE] = Buffer.from('\r ~')
export const LF = 0x0a

/**
 * Reads the records of `bytes` one after another. The last one may lack its line end. Only the fields that are asked for become texts.
 */
export class CsvReader {
  readonly bytes: Buffer
  readonly #delimiter: number
  /** Where the fields of the record begin and end, quotes around them left out. */
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** Where the record begins and ends, its line end left out. */
  start = 0
  end = 0
  #next = 0
  /** Fields of the record. */
  count = 0

  /** @param delimiter one ASCII character */
  constructor(bytes: Uint8Array, delimiter: string) {
    this.bytes = bufferOf(bytes)
    this.#delimiter = delimiter.charCodeAt(0)
  }

  /** Reads the next record. False at the end. @throws InputError */
  next(): boolean {
    const bytes = this.bytes
    let at = this.#next
    while (at < bytes.length && this.#lineEnd(at) > at) at = this.#lineEnd(at)
    this.start = at
    this.count = 0
    if (at >= bytes.length) return false
    for (; ; at++) {
      at = bytes[at] === QUOTE ? this.#readQuoted(at + 1) : this.#readPlain(at)
      if (at >= bytes.length || bytes[at] === LF) break
    }
    this.#next = at + 1
    return true
  }

  /** @returns where the field ends, at a delimiter or a line end */
  #readPlain(start: number): number {
    const bytes = this.bytes
    const delimiter = this.#delimiter
    let at = start
    while (at < bytes.length && bytes[at] !== delimiter && bytes[at] !== LF) at++
    const hasCr = bytes[at] !== delimiter && at > start && bytes[at - 1] === CR
    this.end = hasCr ? at - 1 : at
    this.#add(start, this.end)
    return at
  }

  #readQuoted(start: number): number {
    const bytes = this.bytes
    const close = closingQuote(bytes, start)
    if (close < 0) throw new InputError('a quote that is opened and not closed')
    this.#add(start, close)
    this.end = close + 1
    const at = close + 1
    if (at === bytes.length || bytes[at] === this.#delimiter) return at
    const end = this.#lineEnd(at)
    if (end === at) throw new InputError('text after a closing quote')
    return bytes[end - 1] === LF ? end - 1 : end
  }

  #add(start: number, end: number): void {
    this.starts[this.count] = start
    this.ends[this.count++] = end
  }

  /** Where a line end at `at` ends; `at` when there is none. */
  #lineEnd(at: number): number {
    const bytes = this.bytes
    const end = bytes[at] === CR ? at + 1 : at
    return bytes[end] === LF ? end + 1 : end === bytes.length ? end : at
  }

  /** A field; `''` where there is none. */
  field(column: number): string {
    if (column < 0 || column >= this.count) return ''
    const start = this.starts[column]
    const text = utf8Text(this.bytes, start, this.ends[column])
    const isQuoted = start > 0 && this.bytes[start - 1] === QUOTE
    return isQuoted && text.includes('""') ? text.replaceAll('""', '"') : text
  }

  /** The record as it was written, without its line end, a character for each byte. */
  get record(): string {
    return this.bytes.toString('latin1', this.start, this.end)
  }
}

/** The quote that ends what begins at `at`, after an opening quote; -1 when there is none. */
function closingQuote(bytes: Uint8Array, at: number): number {
  for (let i = at; i < bytes.length; i++) {
    if (bytes[i] !== QUOTE) continue
    if (bytes[i + 1] !== QUOTE) return i
    i++
  }
  return -1
}

/** Where the last whole record of `bytes` ends, line end included; 0 when there is none. */
export function recordsEnd(bytes: Uint8Array, delimiter: string): number {
  if (!bytes.includes(QUOTE)) return bytes.lastIndexOf(LF) + 1
  const comma = delimiter.charCodeAt(0)
  let boundary = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) {
      at = closingQuote(bytes, at + 1)
      // The quote may be closed by the first byte of the next piece, or go on there when it is doubled.
      if (at < 0 || at + 1 === bytes.length) return boundary
    }
    while (at < bytes.length && bytes[at] !== comma && bytes[at] !== LF) at++
    if (bytes[at] === LF) boundary = at + 1
  }
  return boundary
}

/** Characters for which a field needs quotes, by the delimiter. */
const SPECIAL: Readonly<Record<string, RegExp>> = Object.fromEntries(
  [',', ';', '\t', '|'].map(delimiter => [delimiter, new RegExp(`["\\r\\n${delimiter}]`)]),
)

/** A field as CSV has it: in quotes when it needs them. */
export function csvField(text: string, delimiter: string): string {
  return SPECIAL[delimiter].test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** True for a printable character of ASCII that needs no quotes. */
export function isPlain(unit: number, delimiter: number): boolean {
  return unit >= SPACE && unit <= TILDE && unit !== QUOTE && unit !== delimiter
}

/** A field of CSV in UTF-8, a character for each byte. */
export function csvBytes(text: string, delimiter: string): string {
  const separator = delimiter.charCodeAt(0)
  for (let i = 0; i < text.length; i++) {
    if (!isPlain(text.charCodeAt(i), separator)) return latin1Of(Buffer.from(csvField(text, delimiter)))
  }
  return text
}

/** A character for each byte. */
export function latin1Of(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('latin1')
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

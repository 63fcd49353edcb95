/**
 * CSV by RFC 4180: fields may be quoted, quotes in them are doubled, and a record may span lines. A quote in
 * an unquoted field is an ordinary character. Records end in LF or CRLF. Lines of white space are skipped.
 */
import { utf8Text } from '../../postal/text/bytes.ts'
import { QUOTE } from '../../postal/text/json.ts'
import { InputError } from './input-error.ts'

const [CR, TAB, SPACE, TILDE] = Buffer.from('\r\t ~')
export const LF = 0x0a

/** Reads the records of `bytes` in turn. The last one may lack its line end. */
export class CsvReader {
  readonly bytes: Buffer
  readonly #delimiter: number
  /** Starts of the record's fields, after an opening quote. */
  readonly starts: number[] = []
  /** Ends of the record's fields, before a closing quote. */
  readonly ends: number[] = []
  start = 0
  end = 0
  #next = 0
  count = 0
  /** Fault of the record's quotes; undefined if there is none. */
  fault: string | undefined

  /** @param delimiter one ASCII character */
  constructor(bytes: Uint8Array, delimiter: string) {
    this.bytes = bufferOf(bytes)
    this.#delimiter = delimiter.charCodeAt(0)
  }

  /** Reads the next record. Returns false at the end. @throws InputError */
  next(): boolean {
    const bytes = this.bytes
    let at = this.#next
    for (let end = this.#blankEnd(at); end > at; end = this.#blankEnd(at)) at = end
    this.start = at
    this.count = 0
    this.fault = undefined
    if (at >= bytes.length) return false
    for (; ; at++) {
      at = bytes[at] === QUOTE ? this.#readQuoted(at + 1) : this.#readPlain(at)
      if (at >= bytes.length || bytes[at] === LF) break
    }
    this.#next = at + 1
    return true
  }

  /** Reads an unquoted field. Returns its end, at a delimiter or a line end. */
  #readPlain(start: number): number {
    const at = this.#plainEnd(start)
    this.#add(start, this.end)
    return at
  }

  #plainEnd(start: number): number {
    const bytes = this.bytes
    const delimiter = this.#delimiter
    let at = start
    while (at < bytes.length && bytes[at] !== delimiter && bytes[at] !== LF) at++
    const hasCr = bytes[at] !== delimiter && at > start && bytes[at - 1] === CR
    this.end = hasCr ? at - 1 : at
    return at
  }

  #readQuoted(start: number): number {
    const bytes = this.bytes
    const close = closingQuote(bytes, start)
    if (close < 0) throw new InputError('a quote is not closed')
    this.#add(start, close)
    this.end = close + 1
    const at = close + 1
    if (at === bytes.length || bytes[at] === this.#delimiter) return at
    const end = this.#lineEnd(at)
    if (end === at) {
      this.fault = 'text after a closing quote'
      return this.#plainEnd(at)
    }
    return bytes[end - 1] === LF ? end - 1 : end
  }

  #add(start: number, end: number): void {
    this.starts[this.count] = start
    this.ends[this.count++] = end
  }

  /** Returns the end of a line end at `at`; `at` if there is none. */
  #lineEnd(at: number): number {
    const bytes = this.bytes
    const end = bytes[at] === CR ? at + 1 : at
    return bytes[end] === LF ? end + 1 : end === bytes.length ? end : at
  }

  /** Returns the end of a line of white space that begins at `at`; `at` if it is no such line. */
  #blankEnd(at: number): number {
    const bytes = this.bytes
    let end = at
    while (bytes[end] === SPACE || (bytes[end] === TAB && this.#delimiter !== TAB)) end++
    return end === bytes.length || this.#lineEnd(end) > end ? this.#lineEnd(end) : at
  }

  /** Returns a field; `''` if there is none. */
  field(column: number): string {
    if (column < 0 || column >= this.count) return ''
    const start = this.starts[column]
    const text = utf8Text(this.bytes, start, this.ends[column])
    const isQuoted = start > 0 && this.bytes[start - 1] === QUOTE
    return isQuoted && text.includes('""') ? text.replaceAll('""', '"') : text
  }

  /** Returns the unchanged record without its line end, one character per byte. */
  get record(): string {
    return this.bytes.toString('latin1', this.start, this.end)
  }
}

/** Returns the position of a field's closing quote; -1 if there is none. @param at after the opening quote */
function closingQuote(bytes: Uint8Array, at: number): number {
  for (let i = at; i < bytes.length; i++) {
    if (bytes[i] !== QUOTE) continue
    if (bytes[i + 1] !== QUOTE) return i
    i++
  }
  return -1
}

/** Returns the end of the last whole record of `bytes`, with its line end; 0 if there is none. */
export function recordsEnd(bytes: Uint8Array, delimiter: string): number {
  if (!bytes.includes(QUOTE)) return bytes.lastIndexOf(LF) + 1
  const comma = delimiter.charCodeAt(0)
  let boundary = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) {
      at = closingQuote(bytes, at + 1)
      // The quote at the end of a piece may be doubled by the next piece.
      if (at < 0 || at + 1 === bytes.length) return boundary
    }
    while (at < bytes.length && bytes[at] !== comma && bytes[at] !== LF) at++
    if (bytes[at] === LF) boundary = at + 1
  }
  return boundary
}

export function csvField(text: string, delimiter: string): string {
  const needsQuotes = /["\r\n]/.test(text) || text.includes(delimiter)
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text
}

/** True for a printable ASCII character that needs no quotes. */
export function isPlain(unit: number, delimiter: number): boolean {
  return unit >= SPACE && unit <= TILDE && unit !== QUOTE && unit !== delimiter
}

/** Returns a field of CSV in UTF-8, one character per byte. */
export function csvBytes(text: string, delimiter: string): string {
  const separator = delimiter.charCodeAt(0)
  for (let i = 0; i < text.length; i++)
    if (!isPlain(text.charCodeAt(i), separator)) return latin1Of(Buffer.from(csvField(text, delimiter)))
  return text
}

export function latin1Of(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('latin1')
}

export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/**
 * CSV as RFC 4180 has it: fields may be quoted, quotes are doubled inside, a record may span lines. A quote inside an unquoted field is
 * a character like any other. Records end in LF or CRLF; blank lines are no records.
 */
import { InputError } from './input-error.ts'

const QUOTE = '"'

/** Reads the records of a text one after another. The last one may lack its line end. */
export class CsvReader {
  readonly #text: string
  readonly #delimiter: string
  readonly #hasQuotes: boolean
  #at = 0
  /** The record as it was written, without its line end. */
  record = ''
  fields: readonly string[] = []

  /** @param delimiter one ASCII character */
  constructor(text: string, delimiter: string) {
    this.#text = text
    this.#delimiter = delimiter
    this.#hasQuotes = text.includes(QUOTE)
  }

  /** Reads the next record. False at the end. @throws InputError */
  next(): boolean {
    const text = this.#text
    while (this.#at < text.length) {
      const found = text.indexOf('\n', this.#at)
      const end = found < 0 ? text.length : found
      const record = text.slice(this.#at, end > this.#at && text[end - 1] === '\r' ? end - 1 : end)
      if (this.#hasQuotes && record.includes(QUOTE)) return this.#readQuoted()
      this.#at = end + 1
      if (record === '') continue
      this.record = record
      this.fields = record.split(this.#delimiter)
      return true
    }
    return false
  }

  #readQuoted(): true {
    const text = this.#text
    const start = this.#at
    const fields: string[] = []
    for (let at = start; ; at++) {
      let end: number
      if (text[at] === QUOTE) {
        const close = closingQuote(text, at + 1)
        if (close < 0) throw new InputError('a quote that is opened and not closed')
        fields.push(text.slice(at + 1, close).replaceAll('""', QUOTE))
        end = close + 1
        at = text.startsWith('\r\n', end) ? end + 1 : end
        if (!this.#isFieldEnd(at)) throw new InputError('text after a closing quote')
      } else {
        const from = at
        while (!this.#isFieldEnd(at)) at++
        const isLast = text[at] !== this.#delimiter
        end = isLast && at > from && text[at - 1] === '\r' ? at - 1 : at
        fields.push(text.slice(from, end))
      }
      if (text[at] === this.#delimiter) continue
      this.record = text.slice(start, end)
      this.fields = fields
      this.#at = at + 1
      return true
    }
  }

  #isFieldEnd(at: number): boolean {
    return at >= this.#text.length || this.#text[at] === this.#delimiter || this.#text[at] === '\n'
  }
}

/** The quote that ends what begins at `at`, after an opening quote; -1 when there is none. */
function closingQuote(text: string, at: number): number {
  for (let from = at; ; from += 2) {
    from = text.indexOf(QUOTE, from)
    if (from < 0 || text[from + 1] !== QUOTE) return from
  }
}

/** Where the last whole record of `bytes` ends, line end included; 0 when there is none. */
export function recordsEnd(bytes: Buffer, delimiter: string): number {
  if (!bytes.includes(QUOTE)) return bytes.lastIndexOf('\n') + 1
  // A character for each byte.
  const text = bytes.toString('latin1')
  let boundary = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === QUOTE) {
      at = closingQuote(text, at + 1)
      // The quote may be closed by the first byte of the next piece, or go on there when it is doubled.
      if (at < 0 || at + 1 === text.length) return boundary
    }
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++
    if (text[at] === '\n') boundary = at + 1
  }
  return boundary
}

/** Characters for which a field needs quotes, by the delimiter. */
const SPECIAL: Readonly<Record<string, RegExp>> = Object.fromEntries(
  [',', ';', '\t', '|'].map(delimiter => [delimiter, new RegExp(`["\\r\\n${delimiter}]`)]),
)

/** A field as CSV has it: in quotes when it needs them. */
export function csvField(text: string, delimiter: string): string {
  return SPECIAL[delimiter].test(text) ? `"${text.replaceAll(QUOTE, '""')}"` : text
}

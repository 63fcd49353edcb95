/** Checks the records of one piece of the input: what a thread does. */
import { isUtf8 } from 'node:buffer'
import type { PostalIndex } from '../index/postal-index.ts'
import { utf8Text } from '../text/bytes.ts'
import { CsvReader, csvField, fieldsOf } from './csv.ts'
import { parsedLine, textOf } from './json-lines.ts'
import { Judge, type Reason } from './judge.ts'
import { type CheckPlan, type Counts, InputError, noCounts } from './plan.ts'
import { ResultWriter } from './result-writer.ts'

/** What a piece came to. */
export interface CheckedChunk {
  /** The results, in the first `length` of these. */
  bytes: Uint8Array<ArrayBuffer>
  length: number
  counts: Counts
  /** What is wrong with the record after those that were counted. */
  problem: string | null
}

/** Results are longer than records by about this. */
const RESULT_BYTES = 24
const LF = 0x0a
const NOTHING = new Uint8Array(0)
const encoder = new TextEncoder()

export class ChunkChecker {
  readonly #plan: CheckPlan
  readonly #judge: Judge
  readonly #writer: ResultWriter
  readonly #reader: CsvReader
  #counts: Counts = noCounts()

  constructor(index: PostalIndex, plan: CheckPlan) {
    this.#plan = plan
    this.#judge = new Judge(index, plan.country, plan.padsDigits)
    this.#writer = new ResultWriter(index, plan)
    const country = plan.countryColumn === undefined ? -1 : plan.columns.indexOf(plan.countryColumn)
    this.#reader = new CsvReader(plan.delimiter, plan.columns.indexOf(plan.code), country)
  }

  /** @param chunk whole records, without a header */
  check(chunk: Uint8Array): CheckedChunk {
    this.#counts = noCounts()
    this.#writer.begin(chunk.length * 2 + RESULT_BYTES)
    let problem: string | null = null
    try {
      if (!isUtf8(chunk)) throw new InputError(notUtf8(chunk))
      if (this.#plan.from === 'csv') this.#checkCsv(chunk)
      else this.#checkLines(chunk)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      problem = error.message
    }
    const { bytes, length } = this.#writer
    return { bytes, length, counts: this.#counts, problem }
  }

  #checkCsv(chunk: Uint8Array): void {
    const reader = this.#reader
    const { to, columns, takesRagged } = this.#plan
    reader.begin(chunk)
    while (reader.next()) {
      const missing = columns.length - reader.fieldCount
      // What follows a longer record would stand in other columns than the header says.
      if (missing < 0 || (missing > 0 && !takesRagged))
        throw new InputError(`${reader.fieldCount} fields, the header has ${columns.length}`)
      const reason = reader.hasEscapes ? this.#judgeEscaped() : this.#judgeSpans()
      this.#count(reason)
      const { recordStart, recordEnd } = reader
      if (to === 'csv') this.#writer.csvRecord(chunk, recordStart, recordEnd, missing, this.#judge, reason)
      else this.#writeJson(chunk, recordStart, recordEnd, reason)
    }
  }

  #judgeSpans(): Reason | null {
    const { bytes, codeStart, codeEnd, countryStart, countryEnd } = this.#reader
    return this.#judge.reason(bytes, codeStart, codeEnd, bytes, countryStart, countryEnd)
  }

  /** One of the two fields has doubled quotes, which no code and no country has: the text decides. */
  #judgeEscaped(): Reason | null {
    const { bytes, codeStart, codeEnd, countryStart, countryEnd } = this.#reader
    const text = (start: number, end: number) => utf8Text(bytes, start, end).replaceAll('""', '"')
    return this.#judgeTexts(text(codeStart, codeEnd), text(countryStart, countryEnd))
  }

  #judgeTexts(code: string, country: string): Reason | null {
    const codeBytes = encoder.encode(code)
    const countryBytes = country === '' ? NOTHING : encoder.encode(country)
    return this.#judge.reason(codeBytes, 0, codeBytes.length, countryBytes, 0, countryBytes.length)
  }

  #writeJson(chunk: Uint8Array, start: number, end: number, reason: Reason | null): void {
    const { columns, delimiter } = this.#plan
    const fields = fieldsOf(chunk, start, end, delimiter)
    const members = columns.map((name, i) => `${JSON.stringify(name)}:${JSON.stringify(fields[i] ?? '')}`)
    this.#writer.text(`{${members.join(',')},${this.#writer.jsonResult(this.#judge, reason)}}\n`)
  }

  #checkLines(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.length; ) {
      const lineEnd = chunk.indexOf(LF, start)
      const end = lineEnd < 0 ? chunk.length : lineEnd
      const line = utf8Text(chunk, start, end).trim()
      if (line !== '') this.#checkLine(line)
      start = end + 1
    }
  }

  #checkLine(line: string): void {
    const { code, countryColumn, delimiter, to, lineEnd } = this.#plan
    const record = parsedLine(line)
    const codeText = textOf(record[code])
    const countryText = countryColumn === undefined ? '' : textOf(record[countryColumn])
    const reason = this.#judgeTexts(codeText, countryText)
    this.#count(reason)
    if (to === 'csv') {
      this.#writer.text(`${csvField(codeText, delimiter)}${delimiter}${csvField(countryText, delimiter)}`)
      this.#writer.csvResult(this.#judge, reason)
      return
    }
    // The line as it came: parsed and written again, large numbers would lose digits.
    const members = line.slice(0, -1).trimEnd()
    const comma = members === '{' ? '' : ','
    this.#writer.text(`${members}${comma}${this.#writer.jsonResult(this.#judge, reason)}}${lineEnd}`)
  }

  #count(reason: Reason | null): void {
    const counts = this.#counts
    counts.records++
    if (reason === null) counts.valid++
    else counts[reason]++
  }
}

/** Names the first line that is not UTF-8, with its bytes. */
function notUtf8(chunk: Uint8Array): string {
  let start = 0
  for (;;) {
    const lineEnd = chunk.indexOf(LF, start)
    const line = chunk.subarray(start, lineEnd < 0 ? chunk.length : lineEnd)
    if (lineEnd < 0 || !isUtf8(line)) {
      const shown = JSON.stringify(Buffer.from(line.subarray(0, 60)).toString('latin1'))
      return `${shown} is not UTF-8; name the encoding, such as --encoding windows-1252`
    }
    start = lineEnd + 1
  }
}

/**
 * Lines of GeoNames files by country, as the bytes they came in: 1.5 million rows are 114 MB here and would be five times
 * that as objects. Rows are made of them country by country, when they are asked for.
 */
import { isUtf8 } from 'node:buffer'
import { parseGeonamesLine } from '../geonames-line.ts'
import type { OnSkipped, Row } from '../source.ts'
import type { GeonamesFile } from './files.ts'

/** A stretch of lines of one country. */
interface Run {
  bytes: Buffer
  file: string
  /** Number of the first line within its file, from 1. */
  firstLine: number
}

interface Country {
  rank: number
  runs: Run[]
}

const NEW_LINE = 10
const TAB = 9

export class LineStore {
  readonly #countries = new Map<string, Country>()
  /** Lines whose country cannot be told, or may not occur in their file. `rows` reports all others. */
  readonly badLines: string[] = []
  lines = 0

  get countries(): string[] {
    return [...this.#countries.keys()].sort()
  }

  /** Takes the lines of `file`. For each country only the files of the highest rank count. Reads 100 MB in a second. */
  async add(file: GeonamesFile): Promise<void> {
    let rest = Buffer.alloc(0)
    let line = 1
    for await (const chunk of file.content) {
      const end = chunk.lastIndexOf(NEW_LINE) + 1
      const block = Buffer.concat([rest, chunk.subarray(0, end)])
      if (end > 0) line = this.#addLines(file, block, line)
      rest = end > 0 ? Buffer.from(chunk.subarray(end)) : Buffer.concat([rest, chunk])
    }
    if (rest.length > 0) line = this.#addLines(file, Buffer.concat([rest, Buffer.of(NEW_LINE)]), line)
    this.lines += line - 1
  }

  /** Rows of `country` in the order of the files. */
  *rows(country: string, onSkipped: OnSkipped): Iterable<Row> {
    for (const { bytes, file, firstLine } of this.#countries.get(country)?.runs ?? []) {
      const lines = bytes.toString('utf8').split('\n')
      // The last line ends with a new line too, so the part after it is empty.
      for (let i = 0; i < lines.length - 1; i++) {
        const row = parseGeonamesLine(lines[i])
        if (typeof row === 'string') onSkipped(`${file}:${firstLine + i}: ${row}`)
        else yield row
      }
    }
  }

  /** Cuts `block`, whole lines from number `line` on, into runs. Returns the number of the line after it. */
  #addLines(file: GeonamesFile, block: Buffer, line: number): number {
    const isClean = isUtf8(block)
    let country = ''
    let runStart = 0
    let runLine = line
    for (let start = 0; start < block.length; line++) {
      const end = block.indexOf(NEW_LINE, start) + 1
      const found = isClean || isUtf8(block.subarray(start, end)) ? countryAt(block, start) : ''
      const belongs = found !== '' && (file.country === '' || found === file.country)
      if (!belongs)
        this.badLines.push(`${file.name}:${line}: ${found || 'neither text nor a country'} is out of place`)
      if (found !== country || !belongs) {
        this.#addRun(file, country, block.subarray(runStart, start), runLine)
        country = belongs ? found : ''
        runStart = start
        runLine = line
      }
      start = end
    }
    this.#addRun(file, country, block.subarray(runStart), runLine)
    return line
  }

  #addRun(file: GeonamesFile, name: string, bytes: Buffer, firstLine: number): void {
    if (name === '' || bytes.length === 0) return
    let country = this.#countries.get(name)
    if (country === undefined || country.rank < file.rank) {
      country = { rank: file.rank, runs: [] }
      this.#countries.set(name, country)
    }
    if (country.rank === file.rank) country.runs.push({ bytes, file: file.name, firstLine })
  }
}

/** The two capitals before the first tab, or `''`. */
function countryAt(block: Buffer, start: number): string {
  const isCountry = isCapital(block[start]) && isCapital(block[start + 1]) && block[start + 2] === TAB
  return isCountry ? String.fromCharCode(block[start], block[start + 1]) : ''
}

function isCapital(byte: number): boolean {
  return byte >= 65 && byte <= 90
}

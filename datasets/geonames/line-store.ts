/** Lines of GeoNames' files by country, kept as bytes: 1.5 million rows take 114 MB, a fifth of their objects. */
import { isUtf8 } from 'node:buffer'
import { SOURCE_FILE_BYTES_MAX, SOURCE_LINE_BYTES_MAX } from '../limits.ts'
import { countryCodes } from '../reference/country-codes.ts'
import { postForm } from '../reference/post-forms.ts'
import { sharedBytes, textOf } from '../shared-bytes.ts'
import type { LineRun, OnSkipped, Row } from '../source.ts'
import type { GeonamesFile } from './files.ts'
import { parseGeonamesLine } from './geonames-line.ts'

interface Country {
  rank: number
  runs: LineRun[]
}

/** A world with fewer countries has lost its end: GeoNames has about 120. */
const WORLD_COUNTRIES_MIN = 100

/** Maximum number of malformed lines before reading stops. A build has a finer bound. */
const BAD_LINES_MAX = 100_000

const REMEDY = 'this is not a file of GeoNames, fetch it again after deleting this copy'

const NEW_LINE = 10
const TAB = 9

export class LineStore {
  readonly #countries = new Map<string, Country>()
  /** Lines without a country that their file may have. `rows` reports all other malformed lines. */
  readonly badLines: string[] = []
  readonly notes: string[] = []
  lines = 0
  readonly #known = new Set(countryCodes())

  /** Lines by country, ascending, of countries whose posts have codes: there is a row of Hong Kong. */
  get runs(): Map<string, readonly LineRun[]> {
    const countries = [...this.#countries.keys()].filter(country => postForm(country) !== undefined).sort()
    return new Map(countries.map(country => [country, this.#countries.get(country)?.runs ?? []]))
  }

  /**
   * Adds the lines of `file`. For each country only the files of the highest rank count.
   * @throws when the file cannot be read to its end, or has no row
   */
  async add(file: GeonamesFile): Promise<void> {
    const badBefore = this.badLines.length
    const countries = new Set<string>()
    let rest = Buffer.alloc(0)
    let line = 1
    let bytes = 0
    for await (const chunk of file.content) {
      bytes += chunk.length
      if (bytes > SOURCE_FILE_BYTES_MAX)
        throw new Error(`${file.path}: ${file.name} has more than ${SOURCE_FILE_BYTES_MAX} bytes; ${REMEDY}`)
      const end = chunk.lastIndexOf(NEW_LINE) + 1
      const block = sharedBytes([rest, chunk.subarray(0, end)])
      if (end > 0) line = this.#addLines(file, block, line, countries)
      rest = end > 0 ? Buffer.from(chunk.subarray(end)) : Buffer.concat([rest, chunk])
      this.#checkLine(file, line, rest)
      if (this.badLines.length - badBefore > BAD_LINES_MAX)
        throw new Error(
          `${file.path}: more than ${BAD_LINES_MAX} of the first ${line} lines of ${file.name} are not rows; ${REMEDY}`,
        )
    }
    if (rest.length > 0) {
      this.notes.push(
        `${file.path}: line ${line} of ${file.name}, the last, has no end; the file may be cut short`,
      )
      line = this.#addLines(file, sharedBytes([rest, Buffer.of(NEW_LINE)]), line, countries)
    }
    this.lines += line - 1
    if (line - 1 === this.badLines.length - badBefore)
      throw new Error(
        `${file.path}: ${line - 1} lines in ${file.name} and not one row of ${file.country || 'any country'}; expected ` +
          "GeoNames' 12 columns with tabs between them, the country code first; fetch the file again",
      )
    if (file.rank === 0 && countries.size < WORLD_COUNTRIES_MIN)
      this.notes.push(
        `${file.path}: ${file.name} has rows of only ${countries.size} countries, where GeoNames has more than ` +
          `${WORLD_COUNTRIES_MIN}; the file may be cut short`,
      )
  }

  /** @throws when a line is longer than any of GeoNames */
  #checkLine(file: GeonamesFile, line: number, bytes: Buffer): void {
    if (bytes.length > SOURCE_LINE_BYTES_MAX)
      throw new Error(
        `${file.path}: line ${line} of ${file.name} has more than ${SOURCE_LINE_BYTES_MAX} bytes; ${REMEDY}`,
      )
  }

  /** Adds whole lines to runs and `countries`. Returns the number of the next line. */
  #addLines(file: GeonamesFile, block: Buffer, line: number, countries: Set<string>): number {
    const isClean = isUtf8(block)
    let country = ''
    let runStart = 0
    let runLine = line
    for (let start = 0; start < block.length; line++) {
      const end = block.indexOf(NEW_LINE, start) + 1
      if (end - start > SOURCE_LINE_BYTES_MAX) this.#checkLine(file, line, block.subarray(start, end))
      const found = isClean || isUtf8(block.subarray(start, end)) ? countryAt(block, start) : ''
      // A flipped bit turns DE into DF, a country that does not exist.
      const isKnown = found !== '' && (found === country || this.#known.has(found))
      const belongs = isKnown && (file.country === '' || found === file.country)
      if (!belongs)
        this.badLines.push(
          `${file.name}:${line}: ${found || 'neither text nor a country'} is ${isKnown || found === '' ? 'out of place' : 'not a country'}`,
        )
      if (found !== country || !belongs) {
        this.#addRun(file, country, block.subarray(runStart, start), runLine)
        country = belongs ? found : ''
        if (belongs) countries.add(found)
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

/** Yields the rows of `runs` in order. */
export function* rowsOf(runs: readonly LineRun[], onSkipped: OnSkipped): Iterable<Row> {
  for (const { bytes, file, firstLine } of runs) {
    const lines = textOf(bytes).split('\n')
    // The last line ends with a new line.
    for (let i = 0; i < lines.length - 1; i++) {
      const row = parseGeonamesLine(lines[i])
      if (typeof row === 'string') onSkipped(`${file}:${firstLine + i}: ${row}`)
      else yield row
    }
  }
}

export function sizeOf(runs: readonly LineRun[]): number {
  return runs.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

/** Returns the two capitals before the first tab, or `''`. */
function countryAt(block: Buffer, start: number): string {
  const isCountry = isCapital(block[start]) && isCapital(block[start + 1]) && block[start + 2] === TAB
  return isCountry ? String.fromCharCode(block[start], block[start + 1]) : ''
}

function isCapital(byte: number): boolean {
  return byte >= 65 && byte <= 90
}

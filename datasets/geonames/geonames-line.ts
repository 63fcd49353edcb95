/**
 * Lines of GeoNames' postal codes: 12 columns between tabs, no header.
 *
 * country code place name1 code1 name2 code2 name3 code3 latitude longitude accuracy
 */
import { numberOf, quoted } from '../row.ts'
import type { Row } from '../source.ts'

const COLUMNS = 12
/** Columns before the position. */
const TEXT_COLUMNS = 9
/** Characters that only damaged text has. A line may end with a carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!$)/

const UNKNOWN = { timezone: '', elevation: Number.NaN, kind: '', aliases: [] } as const

/** Returns the row in `line`, or the fault. Costs about a microsecond. */
export function parseGeonamesLine(line: string): Row | string {
  const cells = line.split('\t')
  if (cells.length !== COLUMNS) return `${cells.length} columns instead of ${COLUMNS}`
  if (CONTROL.test(line)) return 'a control character'
  for (let i = 0; i < TEXT_COLUMNS; i++) cells[i] = cells[i].trim()
  const [country, code, place, name1, code1, name2, code2, name3, code3] = cells
  if (!/^[A-Z]{2}$/.test(country)) return `country ${quoted(country)}`
  if (code === '') return 'no postal code'
  const lat = numberOf(cells[9])
  const lon = numberOf(cells[10])
  // An empty position is a gap, a wrong one a damaged row.
  if (cells[9] !== '' && !(Math.abs(lat) <= 90)) return `latitude ${quoted(cells[9])}`
  if (cells[10] !== '' && !(Math.abs(lon) <= 180)) return `longitude ${quoted(cells[10])}`
  if (Number.isNaN(lat) !== Number.isNaN(lon)) return 'only half of a position'
  const accuracy = cells[11] === '' || cells[11] === '\r' ? 0 : Number(cells[11])
  if (!(accuracy >= 0 && accuracy <= 6)) return `accuracy ${quoted(cells[11])}`
  const areas = { name1, code1, name2, code2, name3, code3 }
  return { country, code, place, ...areas, lat, lon, accuracy, ...UNKNOWN }
}

/**
 * Yields the rows of a package's file.
 * @throws Error for a malformed line
 */
export function* geonamesRows(text: string): Iterable<Row> {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (const [i, line] of lines.entries()) {
    const found = parseGeonamesLine(line)
    if (typeof found === 'string') throw new Error(`datasets: bad GeoNames line ${i + 1}: ${found}`)
    yield found
  }
}

/** From files of an official register, or of addresses, to a source: one mechanism, and for each kind what is its own. */
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Completeness, Credit, Source } from '../source.ts'
import { type Entry, Gathered } from './gather.ts'
import { gatherFile } from './kept-addresses.ts'
import { readTable, type TableFormat } from './table-file.ts'

/** A row, or several; null for a line to be left out without a word (withdrawn codes); a text when it is not a row. */
export type ReadLine = (cells: readonly string[]) => Entry | readonly Entry[] | string | null

interface Kind extends Pick<Credit, 'title' | 'licence' | 'attribution' | 'url'> {
  /** Name before the file in `--source`. */
  readonly kind: string
  /** ISO 3166-1 alpha-2; `''` where the option must name it, `any` where it may. */
  readonly country: string
  readonly completeness: Completeness
}

/** A register reads each line on its own, or first reads what lies next to the file at `path`. */
type Register = Kind & { readonly format: TableFormat } & (
    | { readonly entry: ReadLine }
    | { open(path: string): Promise<ReadLine> }
  )

/** Addresses in files that take minutes to read. Each file's codes are kept, so that it is read once. */
export interface AddressImporter extends Kind {
  /** A folder stands for its files of this ending. */
  readonly ending: string
  /**
   * Addresses with a code, many at a time. `code` is `''` where it is not one of the country's post.
   * @param country only addresses of this one; `''`: of all
   * @throws Error when the file is damaged or another
   */
  read(path: string, country: string, onProgress: OnProgress): AsyncIterable<readonly Entry[]>
}

export type Importer = Register | AddressImporter

export type OnProgress = (step: string, done: number, total: number) => void

/** A file, and the country that the option names, or `''`. */
export interface ImportFile {
  path: string
  country: string
}

/** Degrees from text; NaN for what is not a position. */
export function degrees(lat: string, lon: string): { lat: number; lon: number } {
  const [north, east] = [lat, lon].map(text => (text === '' ? Number.NaN : Number(text.replace(',', '.'))))
  return positionOf(north, east)
}

/** A position; NaN for what is none. */
export function positionOf(lat: number, lon: number): { lat: number; lon: number } {
  const isPosition = Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && (lat !== 0 || lon !== 0)
  return isPosition ? { lat, lon } : { lat: Number.NaN, lon: Number.NaN }
}

/** Lines that are not rows and are kept to be reported; the build refuses a source long before. */
const BAD_LINES_MAX = 1000

/**
 * Reads `files` as one source. Addresses of one code and place become one row at their middle, so memory grows with codes, about 300
 * bytes each, and not with addresses.
 * @throws Error when a file is not what the importer expects, or has no row
 */
export async function openFiles(
  importer: Importer,
  files: readonly ImportFile[],
  dataDir: string,
  onProgress: OnProgress,
): Promise<Source> {
  const { kind, title, licence, attribution, url, completeness } = importer
  const gathered = new Gathered('read' in importer)
  const tally: Tally = { lines: 0, bad: [] }
  let bytes = 0
  for (const file of files) {
    bytes += (await stat(file.path)).size
    if ('read' in importer) await gatherFile(importer, file, gathered, dataDir, onProgress)
    else await readRegister(importer, file, gathered, tally, onProgress)
  }
  const { countries, leftOut } = gathered
  const { bad, lines } = 'read' in importer ? { bad: [], lines: gathered.addresses + leftOut } : tally
  const names = files.length === 1 ? basename(files[0].path) : `${files.length} files`
  if (countries.length === 0)
    throw new Error(
      `${files.length === 1 ? files[0].path : names}: none of ${lines} lines is a postal code of ${title}; ` +
        `first: ${bad[0] ?? 'none'}`,
    )
  const note = `${kind}: ${leftOut} of ${lines} addresses were left out: no post of their country writes such a code`
  return {
    ...{ id: kind, title, licence, attribution, url, date: '', lines },
    origin: `${names}, ${bytes} bytes`,
    countries: Object.fromEntries(countries.map(country => [country, completeness])),
    lacksCodes: completeness === 'partial',
    notes: leftOut === 0 ? [] : [note],
    *rows(country, onSkipped = () => {}) {
      for (const reason of bad) onSkipped(reason)
      yield* gathered.rows(country)
    },
  }
}

/** Lines of a register, and why some of them are no rows. */
interface Tally {
  lines: number
  bad: string[]
}

async function readRegister(
  importer: Register,
  { path, country }: ImportFile,
  gathered: Gathered,
  tally: Tally,
  onProgress: OnProgress,
): Promise<void> {
  const read = 'entry' in importer ? importer.entry : await importer.open(path)
  const onBytes = (done: number, total: number) => onProgress(`reading ${basename(path)}`, done, total)
  for await (const line of readTable(path, importer.format, onBytes)) {
    tally.lines++
    const found = typeof line === 'string' ? line : read(line)
    if (found === null) continue
    if (typeof found === 'string') {
      if (tally.bad.length < BAD_LINES_MAX) tally.bad.push(`${basename(path)}: ${found}`)
    } else for (const entry of [found].flat()) gathered.add(importer.country || country, entry)
  }
}

/** From an official register of a country to a source: one mechanism, and for each register what is its own. */
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { row } from '../row.ts'
import type { Completeness, Credit, Row, Source } from '../source.ts'
import { readTable, type TableFormat } from './table-file.ts'

/** One line of a register. Names and codes that it lacks are left out. */
export type Entry = Pick<Row, 'code' | 'place' | 'lat' | 'lon'> &
  Partial<Pick<Row, 'name1' | 'code1' | 'name2' | 'code2' | 'name3' | 'code3'>>

/** A row, or several; null for a line to be left out without a word (withdrawn codes); a text when it is not a row. */
export type ReadLine = (cells: readonly string[]) => Entry | readonly Entry[] | string | null

interface Register extends Pick<Credit, 'title' | 'licence' | 'attribution' | 'url'> {
  /** Name before the file in `--source`. */
  readonly kind: string
  /** ISO 3166-1 alpha-2; `''` where the option names it. */
  readonly country: string
  readonly completeness: Completeness
  readonly format: TableFormat
}

/** A register reads each line on its own, or first reads what lies next to the file at `path`. */
export type Importer = Register & ({ readonly entry: ReadLine } | { open(path: string): Promise<ReadLine> })

/** Degrees from text; NaN for what is not a position. */
export function degrees(lat: string, lon: string): { lat: number; lon: number } {
  const [north, east] = [lat, lon].map(text => (text === '' ? Number.NaN : Number(text.replace(',', '.'))))
  const isPosition = Math.abs(north) <= 90 && Math.abs(east) <= 180 && (north !== 0 || east !== 0)
  return isPosition ? { lat: north, lon: east } : { lat: Number.NaN, lon: Number.NaN }
}

/** All lines with one code, place and areas: how many have a position, and their mean. */
interface Group {
  entry: Entry
  lat: number
  lon: number
  placed: number
}

/** GeoNames' scale: the middle of all addresses of a code. */
const ACCURACY_CENTROID = 6
/** Lines that are not rows and are kept to be reported; the build refuses a source long before. */
const BAD_LINES_MAX = 1000

/**
 * Reads the register at `path` as a source of `country`. Addresses of one code and place become one row at their middle, so memory grows with
 * codes, about 300 bytes each, and not with addresses.
 * @throws Error when the file is not what the importer expects, or has no row
 */
export async function openRegister(importer: Importer, path: string, country: string): Promise<Source> {
  const groups = new Map<string, Group>()
  const bad: string[] = []
  let lines = 0
  const read = 'entry' in importer ? importer.entry : await importer.open(path)
  for await (const line of readTable(path, importer.format)) {
    lines++
    const found = typeof line === 'string' ? line : read(line)
    if (found === null) continue
    if (typeof found === 'string') {
      if (bad.length < BAD_LINES_MAX) bad.push(`${basename(path)}: ${found}`)
    } else for (const entry of [found].flat()) add(groups, entry)
  }
  if (groups.size === 0)
    throw new Error(
      `${path}: none of ${lines} lines is a postal code of ${importer.title}; first: ${bad[0] ?? 'none'}`,
    )
  const { kind, title, licence, attribution, url, completeness } = importer
  const { size } = await stat(path)
  return {
    ...{ id: kind, title, licence, attribution, url, date: '' },
    origin: `${basename(path)}, ${size} bytes`,
    countries: { [country]: completeness },
    lines,
    *rows(_, onSkipped = () => {}) {
      for (const reason of bad) onSkipped(reason)
      for (const { entry, lat, lon, placed } of groups.values()) {
        const position = placed === 0 ? {} : { lat, lon, accuracy: ACCURACY_CENTROID }
        yield row(country, entry.code, entry.place, {
          ...entry,
          lat: Number.NaN,
          lon: Number.NaN,
          ...position,
        })
      }
    },
  }
}

function add(groups: Map<string, Group>, entry: Entry): void {
  const { code, place, name1, name2, code2, name3, code3, lat, lon } = entry
  const key = [code, place, name1, name2, code2, name3, code3].join('\t')
  let group = groups.get(key)
  if (group === undefined) {
    group = { entry, lat: 0, lon: 0, placed: 0 }
    groups.set(key, group)
  }
  if (Number.isNaN(lat)) return
  group.placed++
  group.lat += (lat - group.lat) / group.placed
  group.lon += (lon - group.lon) / group.placed
}

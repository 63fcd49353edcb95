import type { Completeness } from '../../src/postal/format/meta.ts'
import type { Credit, GeonamesPart, Source } from '../source.ts'
import { geonamesFiles } from './files.ts'
import { LineStore, rowsOf, sizeOf } from './line-store.ts'

/**
 * Reads the files at all `locations` as one source. `GB_full.txt` replaces the rows of GB in `allCountries.txt`.
 * Reads 100 MB in a second and keeps the bytes.
 * @throws when a location has no such file, or one is damaged or has no rows
 */
export async function openGeonames(locations: readonly string[]): Promise<Source> {
  const store = new LineStore()
  const names: string[] = []
  let newestMs = 0
  for (const location of locations)
    for await (const file of geonamesFiles(location)) {
      await store.add(file)
      names.push(file.name)
      newestMs = Math.max(newestMs, file.modified?.getTime() ?? 0)
    }
  const { lines, badLines, notes } = store
  const origin = names.sort().join(', ')
  const date = newestMs === 0 ? '' : new Date(newestMs).toISOString().slice(0, 10)
  return { ...geonamesSource({ of: 'geonames', origin, date, lines, runs: store.runs }), badLines, notes }
}

/** Returns the source of lines that have been read. */
export function geonamesSource({ origin, date, lines, runs }: GeonamesPart): Source {
  const runsOf = (country: string) => runs.get(country) ?? []
  return {
    ...CREDIT,
    origin,
    date,
    lines,
    countries: Object.fromEntries(Array.from(runs.keys(), country => [country, 'full' as Completeness])),
    rows: (country, onSkipped = () => {}) => rowsOf(runsOf(country), onSkipped),
    size: country => sizeOf(runsOf(country)),
    part: countries => {
      const known = countries.filter(country => runs.has(country))
      const own = new Map(known.map(country => [country, runsOf(country)]))
      return { of: 'geonames', origin, date, lines, runs: own }
    },
  }
}

const CREDIT: Omit<Credit, 'origin' | 'date'> = {
  id: 'geonames',
  title: 'GeoNames postal codes',
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://www.geonames.org',
}

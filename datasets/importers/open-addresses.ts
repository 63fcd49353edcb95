import { degrees, type Importer } from './importer.ts'

/** Any country: addresses in the columns of OpenAddresses. The option names the country: `openaddresses-DE=<file>`. */
export const openAddresses: Importer = {
  kind: 'openaddresses',
  title: 'OpenAddresses',
  country: '',
  licence: 'as the source of the country states',
  attribution: 'OpenAddresses contributors',
  url: 'https://openaddresses.io',
  completeness: 'partial',
  format: {
    encoding: 'utf-8',
    delimiter: ',',
    columns: ['LON', 'LAT', 'CITY', 'DISTRICT', 'REGION', 'POSTCODE'],
  },
  entry([lon, lat, place, district, region, code]) {
    return code === '' ? null : { code, place, name1: region, name2: district, ...degrees(lat, lon) }
  },
}

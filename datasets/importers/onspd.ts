import { degrees, type Importer } from './importer.ts'

/** Great Britain and Northern Ireland: every live postcode with its position. */
export const onspd: Importer = {
  kind: 'onspd',
  title: 'ONS Postcode Directory',
  country: 'GB',
  licence: 'OGL-UK-3.0',
  attribution:
    'Contains OS data © Crown copyright and database right; contains Royal Mail data © Royal Mail copyright and database right; ' +
    'source: Office for National Statistics licensed under the Open Government Licence v.3.0',
  url: 'https://geoportal.statistics.gov.uk',
  completeness: 'full',
  format: { encoding: 'utf-8', delimiter: ',', columns: ['pcds', 'doterm', 'ctry', 'oslaua', 'lat', 'long'] },
  entry([code, ended, country, district, lat, lon]) {
    // Terminated codes stay in the directory, and so do those of the Crown dependencies, which have no position there.
    if (ended !== '' || !(country in COUNTRIES)) return null
    // The directory has 99.999999 where it knows no position.
    const position = Number(lat) > 99 ? degrees('', '') : degrees(lat, lon)
    const [code1, name1] = COUNTRIES[country]
    return { code, place: '', name1, code1, code2: district, ...position }
  },
}

/** Codes of the Office for National Statistics, with those of ISO 3166-2. */
const COUNTRIES: Readonly<Record<string, readonly [code: string, name: string]>> = {
  E92000001: ['ENG', 'England'],
  N92000002: ['NIR', 'Northern Ireland'],
  S92000003: ['SCT', 'Scotland'],
  W92000004: ['WLS', 'Wales'],
}

import { loadPackage, packageOrigin } from '../package-files.ts'
import { row } from '../row.ts'
import type { Row, Source } from '../source.ts'
import { titleCase } from './title-case.ts'

/** Norway with Svalbard: 5,132 codes, each with the name of its post town in capitals, and nothing else. */
export const norwayPostalCodes: Source = {
  id: 'norway-postal-codes',
  title: 'Bring postal codes of Norway',
  origin: packageOrigin('norway-postal-codes'),
  licence: 'MIT',
  attribution: 'norway-postal-codes, copyright (c) Sindre Sorhus; data of Posten Bring',
  url: 'https://github.com/sindresorhus/norway-postal-codes',
  date: '',
  countries: { NO: 'full' },
  addsCodes: ['NO'],
  rows,
}

function* rows(): Iterable<Row> {
  const towns = loadPackage<Record<string, string>>('norway-postal-codes', 'converted/postal-codes-simple.js')
  for (const [code, town] of Object.entries(towns)) yield row('NO', code, titleCase(town))
}

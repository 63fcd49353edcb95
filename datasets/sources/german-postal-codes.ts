import { packageOrigin, readPackageJson } from '../package-files.ts'
import { row } from '../row.ts'
import type { Row, Source } from '../source.ts'

/** Germany: 8,210 codes of delivery areas, bare. */
export const germanPostalCodes: Source = {
  id: 'german-postal-codes',
  title: 'Postleitzahlen of Germany',
  origin: packageOrigin('german-postal-codes'),
  licence: 'ISC',
  attribution: 'german-postal-codes, copyright (c) Jannis R',
  url: 'https://github.com/derhuerst/german-postal-codes',
  date: '',
  countries: { DE: 'full' },
  addsCodes: ['DE'],
  rows,
}

function* rows(): Iterable<Row> {
  for (const code of readPackageJson<string[]>('german-postal-codes', 'index.json')) yield row('DE', code, '')
}

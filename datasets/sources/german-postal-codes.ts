import { packageSource, readPackageJson } from '../package-files.ts'
import { row } from '../row.ts'

/** Germany: 8,210 codes of delivery areas, without names and positions. */
export const germanPostalCodes = packageSource('german-postal-codes', {
  title: 'Postleitzahlen of Germany',
  licence: 'ISC',
  attribution: 'german-postal-codes, copyright (c) Jannis R',
  url: 'https://github.com/derhuerst/german-postal-codes',
  countries: { DE: 'full' },
  addsCodes: ['DE'],
  *rows() {
    for (const code of readPackageJson<string[]>('german-postal-codes', 'index.json'))
      yield row('DE', code, '')
  },
})

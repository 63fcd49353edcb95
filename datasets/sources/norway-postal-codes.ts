import { loadPackage, packageSource } from '../package-files.ts'
import { row } from '../row.ts'
import { titleCase } from './title-case.ts'

/** Norway with Svalbard: 5,132 codes with post towns. */
export const norwayPostalCodes = packageSource('norway-postal-codes', {
  title: 'Bring postal codes of Norway',
  licence: 'MIT',
  attribution: 'norway-postal-codes, copyright (c) Sindre Sorhus; data of Posten Bring',
  url: 'https://github.com/sindresorhus/norway-postal-codes',
  countries: { NO: 'full' },
  addsCodes: ['NO'],
  *rows() {
    const towns = loadPackage<Record<string, string>>(
      'norway-postal-codes',
      'converted/postal-codes-simple.js',
    )
    for (const [code, town] of Object.entries(towns)) yield row('NO', code, titleCase(town))
  },
})

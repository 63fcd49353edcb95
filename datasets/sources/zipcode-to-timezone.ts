import { loadPackage, packageSource, readPackageJson } from '../package-files.ts'
import { row } from '../row.ts'

/** Time zones of 41,962 ZIP codes. Some are an hour wrong, so they serve only codes without a position. */
export const zipcodeToTimezone = packageSource('zipcode-to-timezone', {
  title: 'Time zones of US ZIP codes',
  licence: 'MIT',
  attribution: 'Dor Technologies',
  url: 'https://github.com/DoubleDor/node-zipcode-to-timezone',
  countries: { US: 'partial' },
  *rows() {
    const zips = readPackageJson<Record<string, number>>('zipcode-to-timezone', 'zipcodes.json')
    const { lookup } = loadPackage<{ lookup(zip: string): string | null }>('zipcode-to-timezone', 'index.js')
    for (const zip of Object.keys(zips)) {
      const timezone = lookup(zip)
      if (timezone !== null) yield row('US', zip, '', { timezone })
    }
  },
})

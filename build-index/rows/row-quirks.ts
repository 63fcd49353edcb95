/** Rows of some countries that have to be read differently, whatever source they come from. */
import { japanesePrefectures, type Prefecture } from '../../datasets/reference/japanese-cities.ts'
import type { Row } from '../../datasets/source.ts'
import { USPS_OTHER_STATES } from './us-states.ts'

/** The rows that stand for `row`: itself, changed, or more. */
export type RowQuirk = (row: Row) => Iterable<Row>

/** The quirk of `country`'s rows, if they have one. */
export function rowQuirk(country: string): RowQuirk | undefined {
  if (country === 'US') return military
  if (country === 'BG') return bilingual
  if (country === 'JP') return japanese(japanesePrefectures())
  return undefined
}

/** States of the armed forces by the ZIP codes that they have: Europe, the Americas, the Pacific. */
const MILITARY_ZIPS: readonly [zips: RegExp, state: string][] = [
  [/^09[0-8]/, 'AE'],
  [/^340/, 'AA'],
  [/^96[2-6]/, 'AP'],
]

/** GeoNames leaves state and county of military codes empty and puts a state, often a wrong one, into the place: `APO AA`. */
function* military(row: Row): Iterable<Row> {
  const code1 = MILITARY_ZIPS.find(([zips]) => zips.test(row.code))?.[1]
  if (code1 === undefined) return yield row
  const place = row.place.replace(/ (A[AEP]|STA)$/, '')
  yield { ...row, place, code1, name1: USPS_OTHER_STATES[code1], kind: 'military' }
}

/**
 * Japan's sources name towns, in kanji. The municipality, which is what people abroad call the city, becomes the code's
 * first place under its Latin name, its kanji an alias of it; the town follows as it is.
 */
function japanese(prefectures: ReadonlyMap<string, Prefecture>): RowQuirk {
  return function* (row) {
    const prefecture = prefectures.get(row.name1)
    const city = prefecture?.cities.find(({ kanji }) => kanji === row.name2)
    const large =
      city ?? prefecture?.cities.find(({ native }) => native !== '' && row.name2.startsWith(native))
    if (prefecture === undefined || large === undefined) return yield row
    const admin = {
      name1: prefecture.name,
      code1: prefecture.code,
      name2: large.municipality,
      code2: city?.code ?? '',
      name3: city?.ward ?? row.name2.slice(large.native.length),
      code3: '',
    }
    const aliases = [large.native, `${large.name} ${large.municipality.split('-').at(-1)}`]
    if (city !== undefined && city.kanji !== city.native) aliases.push(city.kanji)
    yield { ...row, ...admin, place: large.name, aliases }
    if (row.place !== row.name2) yield { ...row, ...admin }
  }
}

/** GeoNames has every name of Bulgaria twice, `София / Sofija`. The first is its own, the second another name of the place. */
function* bilingual(row: Row): Iterable<Row> {
  const [own, ...latin] = row.place.split(' / ')
  const [name1, name2, name3] = [row.name1, row.name2, row.name3].map(name => name.split(' / ')[0])
  yield { ...row, name1, name2, name3, place: own, aliases: [...row.aliases, ...latin] }
}

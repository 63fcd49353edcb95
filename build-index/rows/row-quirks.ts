/** Corrections of rows, by country, for all sources. */
import { CODE_POINTS, type CodePoint } from '../../datasets/reference/code-points.ts'
import { japanesePrefectures, type Prefecture } from '../../datasets/reference/japanese-cities.ts'
import type { Row } from '../../datasets/source.ts'
import { kmBetween } from '../distance.ts'
import { NEAREST_KM, SAME_PLACE_KM } from '../thresholds.ts'
import { FIXED } from './position.ts'
import { USPS_OTHER_STATES } from './us-states.ts'

type RowQuirk = (row: Row) => Iterable<Row>

/** Returns a function that corrects the rows of a country, by the keys of their codes. */
export function corrector(country: string): (key: string, row: Row) => Iterable<Row> {
  const points = Object.entries(CODE_POINTS[country] ?? {})
  const quirk = quirkOf(country)
  return (key, row) => {
    const point = points.find(([beginning]) => key.startsWith(beginning))?.[1]
    return quirk(point === undefined ? row : placed(row, point))
  }
}

function quirkOf(country: string): RowQuirk {
  if (country === 'US') return military
  if (country === 'BG') return bilingual
  if (country === 'JP') return japanese(japanesePrefectures())
  return row => [row]
}

/** Puts a row at the known point of its code. */
function placed(row: Row, [lat, lon, place, name1 = '']: CodePoint): Row {
  if (kmBetween(row, { lat, lon }) <= (place === undefined ? SAME_PLACE_KM : NEAREST_KM))
    return { ...row, accuracy: FIXED }
  const named =
    place === undefined
      ? {}
      : { place: place || row.place, name1, code1: '', name2: '', code2: '', aliases: [] }
  return { ...row, ...named, lat, lon, accuracy: FIXED }
}

/** Military states by ZIP code: Europe, the Americas, the Pacific. */
const MILITARY_ZIPS: readonly [zips: RegExp, state: string][] = [
  [/^09[0-8]/, 'AE'],
  [/^340/, 'AA'],
  [/^96[2-6]/, 'AP'],
]

/** GeoNames has no state for military codes, and often a wrong one in the place: `APO AA`. */
function* military(row: Row): Iterable<Row> {
  const code1 = MILITARY_ZIPS.find(([zips]) => zips.test(row.code))?.[1]
  if (code1 === undefined) return yield row
  const place = row.place.replace(/ (A[AEP]|STA)$/, '')
  yield { ...row, place, code1, name1: USPS_OTHER_STATES[code1], kind: 'military' }
}

/** Returns `kanji` with one form of signs that sources write in two, as long as before. */
function fold(kanji: string): string {
  return kanji.replaceAll('ヶ', 'ケ').replaceAll('惠', '恵')
}

/**
 * Makes the municipality the first place, with its Latin name and its kanji as an alias. The town follows. Rows
 * without a municipality have it in their place: 八丈島八丈町三根.
 */
function japanese(prefectures: ReadonlyMap<string, Prefecture>): RowQuirk {
  const cities = [...prefectures.values()].flatMap(prefecture => prefecture.cities)
  const folded = new Map(cities.map(city => [city, fold(city.kanji)]))
  return function* (row) {
    const prefecture = prefectures.get(row.name1)
    const address = fold(row.name2 || row.place)
    const city = prefecture?.cities.find(city => address.startsWith(folded.get(city) ?? city.kanji))
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
    // People leave the kind out: 倶知安 for 倶知安町.
    const aliases = [
      large.native,
      large.native.replace(/(?<=..)[市町村]$/, ''),
      `${large.name} ${large.municipality.split('-').at(-1)}`,
    ]
    if (city !== undefined && city.kanji !== city.native) aliases.push(city.kanji)
    const isAddress =
      city !== undefined && city.kanji !== row.name2 && fold(row.place).startsWith(fold(city.kanji))
    if (isAddress && row.place.length === city.kanji.length) aliases.push(row.place)
    yield { ...row, ...admin, place: large.name, aliases }
    const town = isAddress ? row.place.slice(city.kanji.length) : row.place
    if (town === '' || town === row.name2) return
    yield { ...row, ...admin, place: town, aliases: isAddress ? [row.place] : row.aliases }
  }
}

/** GeoNames has every Bulgarian name twice: `София / Sofija`. The second becomes an alias. */
function* bilingual(row: Row): Iterable<Row> {
  const [own, ...latin] = row.place.split(' / ')
  const [name1, name2, name3] = [row.name1, row.name2, row.name3].map(name => name.split(' / ')[0])
  yield { ...row, name1, name2, name3, place: own, aliases: [...row.aliases, ...latin] }
}

/** Random rows in GeoNames' layout, of countries with several kinds of codes. A seed repeats them. */
import { seededRandom } from './random.ts'
import { geonamesLine } from './zip-file.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const PARTS = ['Bel', 'Dør', 'Gün', 'Mühl', 'Sán', 'Šta', 'Vil', 'Wës', 'あか', 'Жов']
const ENDS = ['ach', 'burg', 'dorf', 'en', 'hausen', 'mar', 'ov', 'stad', 'ton', 'vela']

/** Shapes of codes: `#` is a digit, `@` a letter. No country has an npm package or belongs to a postal union. */
const FORMS: Readonly<Record<string, string>> = {
  AD: 'AD###',
  BM: '@@ ##',
  FO: '###',
  GL: '####',
  HT: 'HT####',
  LS: '###',
  MV: '0####',
}

export interface DrawnRow {
  country: string
  code: string
  place: string
  line: string
}

/** Returns `count` rows, ascending by country. Countries with few codes repeat them. */
export function drawRows(seed: number, count: number, countries = Object.keys(FORMS)): DrawnRow[] {
  const random = seededRandom(seed)
  const any = <T>(list: ArrayLike<T>): T => list[random(list.length)]
  const rows: DrawnRow[] = []
  for (let i = 0; i < count; i++) {
    const country = countries[Math.floor((i * countries.length) / count)]
    const code = FORMS[country].replace(/#/g, () => String(random(10))).replace(/@/g, () => any(LETTERS))
    const place = `${any(PARTS)}${any(ENDS)} ${any(PARTS)}${any(ENDS)}`
    const area = random(9)
    const line = geonamesLine(country, code, place, {
      name1: `Area ${area}`,
      code1: String(area),
      lat: (random(1_600_000) / 10_000 - 80).toFixed(4),
      lon: (random(3_400_000) / 10_000 - 170).toFixed(4),
      accuracy: any(['', '1', '4', '6']),
    })
    rows.push({ country, code, place, line })
  }
  return rows
}

export function textOf(rows: readonly DrawnRow[]): string {
  return rows.map(({ line }) => `${line}\n`).join('')
}

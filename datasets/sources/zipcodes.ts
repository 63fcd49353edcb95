import type { Completeness } from '../../src/postal/format/meta.ts'
import { packageSource } from '../package-files.ts'
import { ESTIMATED, row } from '../row.ts'
import type { Row } from '../source.ts'
import { titleCase } from './title-case.ts'

interface Entry {
  zip: string
  /** Degrees; null for nine entries of Canada. */
  latitude: number | null
  longitude: number | null
  city: string
  state: string
}

/** USPS states with country codes of their own. */
const TERRITORIES = ['PR', 'VI', 'GU', 'AS', 'MP', 'FM', 'MH', 'PW']
/** USPS states of the armed forces. The positions are wrong. */
const MILITARY = new Set(['AA', 'AE', 'AP'])

/**
 * US codes outside the fifty states, and Canada's first three characters. ZIP codes of the states are left out: most
 * that GeoNames lacks have been withdrawn.
 */
export const zipcodes = packageSource('zipcodes', ({ text }) => ({
  title: 'US territories, military ZIP codes and Canadian forward sortation areas',
  licence: 'BSD-3-Clause',
  attribution: 'zipcodes, copyright (c) 2007 Dav Glass',
  url: 'https://github.com/davglass/zipcodes',
  countries: {
    US: 'partial',
    ...Object.fromEntries(TERRITORIES.map(territory => [territory, 'full' as Completeness])),
    CA: 'short codes',
  },
  addsCodes: ['US', ...TERRITORIES],
  rows: country => (country === 'CA' ? canada(text) : unitedStates(country, text)),
}))

/** Entries outside the fifty states. */
let others: readonly Entry[] | undefined

function* unitedStates(country: string, read: (file: string) => string): Iterable<Row> {
  others ??= entries(read('lib/codes.js')).filter(
    ({ state }) => MILITARY.has(state) || TERRITORIES.includes(state),
  )
  for (const { zip, city, state, latitude, longitude } of others) {
    if (country === 'US' && MILITARY.has(state)) yield row('US', zip, city.toUpperCase(), { code1: state })
    else if (country === state) yield row(state, zip, city, positionOf(latitude, longitude))
  }
}

function* canada(read: (file: string) => string): Iterable<Row> {
  for (const { zip, city, state, latitude, longitude } of entries(read('lib/codesCanada.js')))
    yield row('CA', zip, titleCase(city), { name1: state, ...positionOf(latitude, longitude) })
}

function positionOf(lat: number | null, lon: number | null): Partial<Row> {
  return lat === null || lon === null ? {} : { lat, lon, accuracy: ESTIMATED }
}

/** Reads the object in `exports.codes = {…}` as JSON: compiling five megabytes of code takes ten times as long. */
function entries(text: string): Entry[] {
  return Object.values(JSON.parse(text.slice(text.indexOf('{'), text.indexOf('}}') + 2)))
}

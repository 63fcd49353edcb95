/** Models of a few countries: enough codes for every rule of the data. */

import type { AdminModel, CodeModel, CodeRules, CountryModel, PlaceModel } from '../../build-index/model.ts'
import type { Credit } from '../../datasets/source.ts'

export const FIXTURE_SOURCE: Credit = {
  id: 'fixture',
  title: 'Codes for tests',
  origin: 'test/support/countries.ts',
  licence: 'CC0-1.0',
  attribution: 'nobody',
  url: 'https://example.com/',
  date: '2026-01-01',
}

export const NO_RULES: CodeRules = { padTo: 0, prefixes: [], tails: [], masks: [] }
export const NO_ADMIN: AdminModel = {
  name1: '',
  code1: '',
  name2: '',
  code2: '',
  name3: '',
  code3: '',
  extra: {},
}

export function admin(fields: Partial<AdminModel>): AdminModel {
  return { ...NO_ADMIN, ...fields }
}

export function place(
  name: string,
  of: Partial<AdminModel> = {},
  aliases: readonly string[] = [],
): PlaceModel {
  return { name, admin: admin(of), aliases }
}

/** Returns a code with its places, the primary first. A field is unknown by default. */
export function code(key: string, places: readonly PlaceModel[], fields: Partial<CodeModel> = {}): CodeModel {
  return {
    key,
    lat: Number.NaN,
    lon: Number.NaN,
    accuracy: '',
    kind: '',
    timezone: '',
    elevation: Number.NaN,
    places,
    ...fields,
  }
}

export function country(
  cc: string,
  codes: readonly CodeModel[],
  rules: Partial<CodeRules> = {},
): CountryModel {
  return {
    country: cc,
    areaNames: {},
    completeness: 'full',
    sources: [FIXTURE_SOURCE.id],
    rules: { ...NO_RULES, ...rules },
    codes,
  }
}

const CA = { name1: 'California', code1: 'CA', name2: 'Los Angeles' }
const IL = { name1: 'Illinois', code1: 'IL', name2: 'Sangamon' }
const MA = { name1: 'Massachusetts', code1: 'MA', name2: 'Hampden' }
const MO = { name1: 'Missouri', code1: 'MO', name2: 'St. Louis (city)' }
const losAngeles = { timezone: 'America/Los_Angeles' }

const MUENCHEN = { ...place('München', { name1: 'Bayern', code1: 'BY' }, ['Munich']), population: 1_260_391 }

/** The builder expects ascending countries. */
export const COUNTRIES: readonly CountryModel[] = [
  country(
    'CA',
    [code('K1A', [place('Ottawa', { name1: 'Ontario', code1: 'ON' })], { lat: 45.4207, lon: -75.7023 })],
    {
      tails: ['NAN'],
    },
  ),
  country(
    'DE',
    [
      code('10115', [place('Berlin', { name1: 'Berlin', code1: 'BE' })], { lat: 52.5323, lon: 13.3846 }),
      code('80331', [MUENCHEN], { lat: 48.1345, lon: 11.571, accuracy: 'place' }),
    ],
    { padTo: 5 },
  ),
  country(
    'FR',
    [code('75001', [place('Paris', { name1: 'Île-de-France', code1: '11' })], { lat: 48.8592, lon: 2.3417 })],
    {
      padTo: 5,
    },
  ),
  country(
    'GB',
    [code('SW1A', [place('London', { name1: 'England', code1: 'ENG' })], { lat: 51.501, lon: -0.1416 })],
    {
      tails: ['NAA'],
    },
  ),
  country(
    'JP',
    [code('1000001', [place('Chiyoda', { name1: 'Tokyo', code1: '13' })], { lat: 35.6851, lon: 139.7514 })],
    { padTo: 7 },
  ),
  country('LV', [code('1001', [place('Rīga')])], { prefixes: ['LV'], masks: ['LV-####'], padTo: 4 }),
  country(
    'MX',
    [
      code(
        '37000',
        [place('León Centro', { name1: 'Guanajuato', code1: '11', extra: { municipality: 'León' } })],
        {
          lat: 21.1221,
          lon: -101.6833,
          timezone: 'America/Mexico_City',
          elevation: 1815,
        },
      ),
    ],
    { padTo: 5 },
  ),
  country('PL', [code('00001', [place('Warszawa')])], { masks: ['##-###'], padTo: 5 }),
  country('PT', [code('1000001', [place('Lisboa')])], { masks: ['####-###'] }),
  country(
    'US',
    [
      code('01101', [place('Springfield', MA)], { lat: 42.1015, lon: -72.5898 }),
      code('02139', [place('Cambridge', { name1: 'Massachusetts', code1: 'MA', name2: 'Middlesex' })], {
        lat: 42.3647,
        lon: -71.1042,
      }),
      code('62701', [place('Springfield', IL)], { lat: 39.8, lon: -89.6495 }),
      code('62702', [place('Springfield', IL)], { lat: 39.82, lon: -89.64 }),
      code('63101', [place('Saint Louis', MO)], { lat: 38.6346, lon: -90.1913 }),
      code('90210', [place('Beverly Hills', CA)], {
        lat: 34.0901,
        lon: -118.4065,
        elevation: 71,
        accuracy: 'code',
        ...losAngeles,
      }),
      code('90211', [place('Beverly Hills', CA)], { lat: 34.0652, lon: -118.383, ...losAngeles }),
    ],
    { padTo: 5, tails: ['NNNN'] },
  ),
]

/** Countries that a request may name. `XX` is not one of them. */
export const ISO: readonly string[] = 'AD CA DE FR GB JP LV MX NF PL PT US XK'.split(' ')

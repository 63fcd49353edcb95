/** lookup, metacode and validate. */
import type { ErrorCode } from '../../errors.ts'
import {
  API_KEY,
  COUNTRY,
  ENDING,
  EXAMPLE_ENDING,
  FULL_ENDING,
  FULL_EXAMPLE_ENDING,
  LATITUDE,
  LONGITUDE,
  ZIPCODE,
} from '../common-shapes.ts'
import { operation } from '../operation.ts'
import { either, flag, integer, named, object, oneOfTexts, optional, text } from '../schema.ts'

const REQUEST = object('', { apiKey: API_KEY, zipcode: ZIPCODE, country: COUNTRY })
const ERRORS: readonly ErrorCode[] = [
  'MISSING_ZIPCODE',
  'INVALID_COUNTRY',
  'INSUFFICIENT_BALANCE',
  'RATE_LIMIT',
]

const POSITION = { latitude: optional(LATITUDE), longitude: optional(LONGITUDE) }
const PLACE_DETAILS = {
  ...POSITION,
  accuracy: optional(
    oneOfTexts(
      "Whether the position is the code's own, that of its place, or an estimate for the area around it.",
      ['code', 'place', 'area'],
    ),
  ),
  timezone: optional(text('IANA time zone.', { examples: ['America/Los_Angeles'] })),
  elevation: optional(integer('Metres above sea level.')),
}

const LOOKUP = named(
  'LookupAnswer',
  object('', {
    city: text('Name of the primary place.'),
    state: text('Name of the US state; empty in every other country.'),
    ST: text('Abbreviation of the US state; empty in every other country.'),
    ...POSITION,
    ...FULL_ENDING,
  }),
)

export const lookup = operation({
  path: '/api/lookup',
  group: 'Postal codes',
  summary: 'Place name and position of a postal code',
  description: 'A code that does not exist is 404 and free.',
  request: REQUEST,
  answer: LOOKUP,
  errors: [...ERRORS, 'CODE_NOT_FOUND'],
  example: {
    request: { zipcode: '90210' },
    answer: {
      city: 'Beverly Hills',
      state: 'California',
      ST: 'CA',
      latitude: 34.0901,
      longitude: -118.4065,
      ...FULL_EXAMPLE_ENDING,
    },
  },
})

const US_META = named(
  'UsRecord',
  object('What is known of a ZIP code. A field that is not known is left out.', {
    zipcode: text('The code in its written form.'),
    city: optional(text('Name of the primary place.')),
    state: optional(text('Name of the state.')),
    stateAbbrev: optional(text('Abbreviation of the state.')),
    county: optional(text('Name of the county.')),
    ...PLACE_DETAILS,
  }),
)

const admin = (level: number) => text(`Name of the area of level ${level}.`)
const adminCode = (level: number) => text(`Code of the area of level ${level}.`)

const WORLD_META = named(
  'Record',
  object(
    'What is known of a postal code outside the US. A field that is not known is left out; new sources may add fields.',
    {
      postalCode: text('The code in its written form.'),
      country: text('ISO 3166-1 alpha-2.'),
      placeName: optional(text('Name of the primary place.')),
      admin_name1: optional(admin(1)),
      admin_code1: optional(adminCode(1)),
      admin_name2: optional(admin(2)),
      admin_code2: optional(adminCode(2)),
      admin_name3: optional(admin(3)),
      admin_code3: optional(adminCode(3)),
      adminLevel1: optional(text('Top-level region; may differ from `admin_name1`.')),
      adminLevel2: optional(text('Second-level region; may differ from `admin_name2`.')),
      state: optional(text('Name of the state, where it differs from `admin_name1`.')),
      municipality: optional(text('Name of the municipality.')),
      city: optional(text('Name of the city, where it differs from `placeName`.')),
      ...PLACE_DETAILS,
    },
  ),
)

/** Everything that is known of a code, as `meta` has it. */
export const META = either('The record, in the form of its country.', US_META, WORLD_META)

export const metacode = operation({
  path: '/api/metacode',
  group: 'Postal codes',
  summary: 'Everything that is known of a postal code',
  description: 'Outside the US the fields are named as for every country; a missing field is never `null`.',
  request: REQUEST,
  answer: named('MetacodeAnswer', object('', { meta: META, ...FULL_ENDING })),
  errors: [...ERRORS, 'CODE_NOT_FOUND'],
  example: {
    request: { zipcode: '75001', country: 'FR' },
    answer: {
      meta: {
        postalCode: '75001',
        country: 'FR',
        placeName: 'Paris',
        admin_name1: 'Île-de-France',
        admin_code1: 'IDF',
        admin_name2: 'Paris',
        admin_code2: '75',
        admin_code3: '75101',
        latitude: 48.8607,
        longitude: 2.3281,
        accuracy: 'code',
        timezone: 'Europe/Paris',
        elevation: 42,
      },
      ...FULL_EXAMPLE_ENDING,
    },
  },
})

export const metazip = {
  ...metacode,
  path: '/api/metazip',
  summary: 'The older name of metacode',
  description: 'Behaves as `/api/metacode` and stays.',
  isDeprecated: true,
}

export const validate = operation({
  path: '/api/validate',
  group: 'Postal codes',
  summary: 'Whether a postal code exists',
  description: 'A code that does not exist is an answer, `"valid":false`, and is charged.',
  request: REQUEST,
  answer: named(
    'ValidateAnswer',
    object('', {
      valid: flag('Whether the code exists in the country.'),
      zipcode: ZIPCODE,
      responseTime: text('Time inside the server.', { pattern: '^\\d+ms$' }),
      ...ENDING,
    }),
  ),
  errors: ERRORS,
  example: {
    request: { zipcode: 'SW1A 1AA', country: 'GB' },
    answer: { valid: true, zipcode: 'SW1A 1AA', responseTime: '0ms', ...EXAMPLE_ENDING },
  },
})

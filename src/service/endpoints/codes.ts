/** Endpoints of one postal code: lookup, metacode, validate, format. */

import {
  type Metadata,
  type NamedField,
  type RecordField,
  US_FIELDS,
  WORLD_FIELDS,
} from '../../postal/index/record-fields.ts'
import type { ErrorCode } from '../errors.ts'
import { endpoint } from './endpoint.ts'
import {
  CODE,
  country,
  DETAIL,
  isUS,
  LATITUDE,
  LONGITUDE,
  optionalZipcode,
  requestedFlags,
  zipcode,
} from './request-fields.ts'
import {
  either,
  flag,
  integer,
  list,
  type Members,
  named,
  nullable,
  number,
  oneOfTexts,
  optional,
  type Schema,
  text,
} from './schema.ts'

const NOT_FOUND: readonly ErrorCode[] = ['CODE_NOT_FOUND']
const POSITION = { latitude: optional(LATITUDE), longitude: optional(LONGITUDE) }

export const lookup = endpoint({
  name: 'lookup',
  usageClass: 0,
  group: 'Postal codes',
  summary: 'Place name and position of a postal code',
  description: 'A code that does not exist is 404 and free.',
  fields: { zipcode, country },
  answer: {
    city: text('Name of the primary place.'),
    state: text('Name of the US state; empty in every other country.'),
    ST: text('Abbreviation of the US state; empty in every other country.'),
    ...POSITION,
  },
  ending: 'full',
  errors: NOT_FOUND,
  example: {
    body: { zipcode: '90210' },
    answer: {
      city: 'Beverly Hills',
      state: 'California',
      ST: 'CA',
      latitude: 34.0901,
      longitude: -118.4065,
    },
  },
  // Single requests are answered by api/hot-requests.ts, from bytes.
  run(codes, { zipcode, country }) {
    const place = codes.lookup(zipcode, country)
    if (place === undefined) return { error: 'CODE_NOT_FOUND' }
    return isUS(country) ? place : { ...place, state: '', ST: '' }
  },
})

const PLACE = named('PlaceOfRecord', 'A place that has a code.', {
  name: text(''),
  state: text('Name of its area of level 1.'),
  ST: text('Code of that area.'),
  county: text('Name of its area of level 2.'),
  primary: flag('True for the primary place of the code.'),
})

function membersOf(fields: readonly NamedField[]): Members {
  return Object.fromEntries(fields.map(({ name, field }) => [name, shapeOf(field)]))
}

function shapeOf(field: RecordField): Schema<unknown> {
  const { from, description } = field
  switch (from) {
    case 'form':
      return text(description)
    case 'label':
      return optional(field.texts ? oneOfTexts(description, field.texts.slice(1)) : text(description))
    case 'places':
      return optional(list(description, PLACE))
    case 'whole':
      return optional(integer(description))
    case 'millionths':
      return optional(number(description))
    default:
      return optional(text(description))
  }
}

const US_META = named('UsRecord', 'Data of a ZIP code. An unknown field is left out.', membersOf(US_FIELDS))
const WORLD_META = named(
  'Record',
  'Data of a postal code outside the US. An unknown field is left out. New sources may add fields.',
  membersOf(WORLD_FIELDS),
)

export const META = either('The record, in the form of its country.', US_META, WORLD_META) as Schema<Metadata>

export const metacode = endpoint({
  name: 'metacode',
  alias: 'metazip',
  usageClass: 1,
  group: 'Postal codes',
  summary: 'All data of a postal code',
  description:
    'Fields have US names in the US, and the same other names in all other countries. A missing field is never `null`.',
  fields: { zipcode, country, ...requestedFlags },
  answer: { meta: META },
  ending: 'full',
  errors: NOT_FOUND,
  example: {
    body: { zipcode: '37000', country: 'MX' },
    answer: {
      meta: {
        postalCode: '37000',
        country: 'MX',
        placeName: 'León',
        admin_name1: 'Guanajuato',
        admin_code1: 'GUA',
        admin_name2: 'León',
        admin_code2: '020',
        adminLevel1: 'Guanajuato',
        adminLevel2: 'León',
        municipality: 'León',
        latitude: 21.1291,
        longitude: -101.6737,
        accuracy: 'place',
        timezone: 'America/Mexico_City',
        elevation: 1806,
      },
    },
  },
  tool: { name: 'lookup_postal_code', title: 'Look up a postal code' },
  // The first request for a country inverts all its places.
  isLong: (_codes, { places }) => places === true,
  run(codes, { zipcode, country, ...asked }) {
    const meta = codes.metadata(zipcode, country, asked)
    return meta === undefined ? { error: 'CODE_NOT_FOUND' } : { meta }
  },
})

export const validate = endpoint({
  name: 'validate',
  usageClass: 2,
  group: 'Postal codes',
  summary: 'Whether a postal code exists',
  description: 'A code that does not exist is an answer, `"valid":false`, and is charged.',
  fields: { zipcode, country },
  answer: { valid: flag('True if the code exists in the country.'), zipcode: CODE, detail: DETAIL },
  ending: 'timed',
  example: {
    body: { zipcode: 'SW1A 1AA', country: 'GB' },
    answer: { valid: true, zipcode: 'SW1A 1AA' },
  },
  run(codes, { zipcode, country }) {
    const { valid, ...verdict } = codes.check(zipcode, country)
    return { valid, zipcode, ...('detail' in verdict && { detail: verdict.detail }) }
  },
})

const CODE_FORMAT = named('CodeFormat', 'A form of the codes of a country.', {
  format: text('`N` is a digit, `A` a letter, any other character is itself.', { examples: ['NN-NNN'] }),
  example: text('A code of this form.'),
  pattern: text('A regular expression for the written form.', { format: 'regex' }),
})

export const format = endpoint({
  name: 'format',
  usageClass: 9,
  group: 'Postal codes',
  summary: 'How a country writes its codes',
  description:
    'The name and the forms of the codes of any country and, with `zipcode`, the written form of that code. `formats` has the forms in the index, or else the forms of the post.',
  fields: { zipcode: optionalZipcode, country },
  answer: {
    country: text('ISO 3166-1 alpha-2.'),
    name: nullable(
      text('Name of the codes in the country; null if it has none.', { examples: ['ZIP code'] }),
    ),
    hasCodes: flag('True if its post has codes.'),
    hasData: flag('True if the index has codes of the country.'),
    pattern: nullable(
      text('A regular expression for a whole code; null if none is known.', { format: 'regex' }),
    ),
    example: nullable(text('A code that matches it.')),
    formats: list('', CODE_FORMAT),
    valid: optional(
      flag(
        'True if the code exists, or without data if it has the form of the country; only with `zipcode`.',
      ),
    ),
    normalized: optional(
      nullable(text('Its written form, or null if it does not exist; only with `zipcode`.')),
    ),
  },
  ending: 'single',
  example: {
    body: { country: 'PL', zipcode: '42120' },
    answer: {
      country: 'PL',
      name: 'Kod pocztowy',
      hasCodes: true,
      hasData: true,
      pattern: '^(?:\\d{2}-\\d{3})$',
      example: '42-120',
      formats: [{ format: 'NN-NNN', example: '42-120', pattern: '^[0-9]{2}-[0-9]{3}$' }],
      valid: true,
      normalized: '42-120',
    },
  },
  tool: { name: 'postal_code_format', title: 'How a country writes its postal codes' },
  run: (codes, { zipcode, country }) => codes.format(zipcode, country) ?? { error: 'INVALID_COUNTRY' },
})

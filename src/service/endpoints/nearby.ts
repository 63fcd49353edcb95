/** Endpoints of distances: nearest, distance. */

import { CODE_KINDS, type Kind } from '../../postal/format/code-entry.ts'
import { DEFAULT_COUNTRY } from '../../postal/index/country-table.ts'
import { NEAREST_DEFAULT, NEAREST_MAX, RADIUS_KM_MAX } from '../../postal/limits.ts'
import { type Body, endpoint, valueIn } from './endpoint.ts'
import {
  anyCountry,
  CODE,
  countryField,
  isCode,
  LATITUDE,
  LONGITUDE,
  numberField,
  optionalField,
  optionalZipcode,
  requiredField,
  wholeNumber,
  withRule,
} from './request-fields.ts'
import { list, named, number, oneOfTexts, text } from './schema.ts'

const isGiven = (body: Body, name: string) => valueIn(body, name) !== undefined
const hasPoint = (body: Body) => isGiven(body, 'latitude') || isGiven(body, 'longitude')

const latitude = numberField('Degrees north, WGS 84.', 'INVALID_LATITUDE', -90, 90)
const longitude = numberField('Degrees east, WGS 84.', 'INVALID_LONGITUDE', -180, 180)

export const nearest = endpoint({
  name: 'nearest',
  usageClass: 5,
  group: 'Postal codes',
  summary: 'The postal codes around a point or around another code',
  description:
    'The nearest first, with their distances on the sphere. Give either `zipcode`, which is then the first result, or `latitude` ' +
    'and `longitude`. Around a point, `country` excludes other countries. Around a code, it is the country of that code. An ' +
    'answer without results is charged.',
  fields: {
    zipcode: withRule(optionalZipcode, 'NO_POINT', body => isGiven(body, 'zipcode') === hasPoint(body)),
    country: anyCountry,
    latitude: withRule(latitude, 'INVALID_LATITUDE', body => hasPoint(body) && !isGiven(body, 'latitude')),
    longitude: withRule(
      longitude,
      'INVALID_LONGITUDE',
      body => hasPoint(body) && !isGiven(body, 'longitude'),
    ),
    radius: numberField('Maximum distance in kilometres.', 'INVALID_RADIUS', 0, RADIUS_KM_MAX),
    limit: wholeNumber('Maximum number of codes.', 'INVALID_LIMIT', 1, NEAREST_MAX, {
      default: NEAREST_DEFAULT,
    }),
    kind: optionalField(
      oneOfTexts(
        'Only codes of this kind. `street` includes codes of unknown kind. Other kinds are found within 100 km.',
        CODE_KINDS.slice(1) as Exclude<Kind, ''>[],
      ),
      'INVALID_KIND',
      value => CODE_KINDS.includes(value as Kind),
    ),
  },
  answer: {
    results: list(
      '',
      named('NearCode', '', {
        postalCode: text('The code in its written form.'),
        country: text('ISO 3166-1 alpha-2.'),
        placeName: text('Name of the primary place.'),
        latitude: LATITUDE,
        longitude: LONGITUDE,
        distance: number('Kilometres, to the metre.', { minimum: 0 }),
      }),
      { maxItems: NEAREST_MAX },
    ),
  },
  ending: 'single',
  errors: ['CODE_NOT_FOUND', 'NO_POSITION'],
  example: {
    body: { zipcode: '90210', limit: 2 },
    answer: {
      results: [
        {
          postalCode: '90210',
          country: 'US',
          placeName: 'Beverly Hills',
          latitude: 34.0901,
          longitude: -118.4065,
          distance: 0,
        },
        {
          postalCode: '90209',
          country: 'US',
          placeName: 'Beverly Hills',
          latitude: 34.0736,
          longitude: -118.4004,
          distance: 1.919,
        },
      ],
    },
  },
  tool: { name: 'find_nearest_postal_codes', title: 'Find the nearest postal codes' },
  // The wanted codes may be few, or far from the point.
  isLong: (_codes, { zipcode, country, kind = 'street' }) =>
    kind !== 'street' || (zipcode === undefined && country !== undefined),
  run(codes, { zipcode, latitude = 0, longitude = 0, country, radius, limit, kind }) {
    const of = zipcode === undefined ? { latitude, longitude } : { zipcode }
    const results = codes.nearest(of, { country, radius, limit, kind })
    if (results !== undefined) return { results }
    return {
      error: zipcode !== undefined && codes.validate(zipcode, country) ? 'NO_POSITION' : 'CODE_NOT_FOUND',
    }
  },
})

const KM_PER_MILE = 1.609344

export const distance = endpoint({
  name: 'distance',
  usageClass: 10,
  group: 'Postal codes',
  summary: 'The distance between two postal codes',
  description: 'Distance on the sphere. Each code has its own country.',
  fields: {
    from: requiredField(CODE, 'MISSING_FROM', isCode),
    fromCountry: countryField({ default: DEFAULT_COUNTRY }, 'INVALID_FROM_COUNTRY'),
    to: requiredField(CODE, 'MISSING_TO', isCode),
    toCountry: countryField({ default: DEFAULT_COUNTRY }, 'INVALID_TO_COUNTRY'),
  },
  answer: {
    kilometres: number('Kilometres, to the metre.', { minimum: 0 }),
    miles: number('Miles of 1,609.344 metres.', { minimum: 0 }),
  },
  ending: 'single',
  errors: ['CODE_NOT_FOUND', 'NO_POSITION'],
  example: {
    body: { from: '10001', to: '37000', toCountry: 'MX' },
    answer: { kilometres: 3398.218, miles: 2111.555 },
  },
  tool: { name: 'postal_code_distance', title: 'The distance between two postal codes' },
  run(codes, { from, fromCountry, to, toCountry }) {
    const kilometres = codes.distance(
      { zipcode: from, country: fromCountry },
      { zipcode: to, country: toCountry },
    )
    if (kilometres !== undefined)
      return { kilometres, miles: Math.round((kilometres / KM_PER_MILE) * 1000) / 1000 }
    const areKnown = codes.validate(from, fromCountry) && codes.validate(to, toCountry)
    return { error: areKnown ? 'NO_POSITION' : 'CODE_NOT_FOUND' }
  },
})

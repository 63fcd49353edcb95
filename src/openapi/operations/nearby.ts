/** nearest and autocomplete. */
import {
  AREAS_PER_SUGGESTION_MAX,
  NEAREST_DEFAULT,
  NEAREST_MAX,
  RADIUS_KM_MAX,
  SUGGESTIONS_DEFAULT,
  SUGGESTIONS_MAX,
} from '../../limits.ts'
import { API_KEY, COUNTRY, ENDING, EXAMPLE_ENDING, LATITUDE, LONGITUDE, ZIPCODE } from '../common-shapes.ts'
import { operation } from '../operation.ts'
import { integer, list, named, nullable, number, object, optional, text } from '../schema.ts'

const limit = (what: string, max: number, fallback: number) =>
  optional(nullable(integer(what, { minimum: 1, maximum: max, default: fallback })))

export const nearest = operation({
  path: '/api/nearest',
  group: 'Postal codes',
  summary: 'The postal codes around a point or around another code',
  description:
    'The nearest first, with their distances on the sphere. Give either `zipcode`, whose own code is the first result, or `latitude` ' +
    'and `longitude`. Around a point, `country` keeps other countries out; around a code, it is the country of that code. An ' +
    'answer without results is an answer, and is charged.',
  request: object('', {
    apiKey: API_KEY,
    latitude: optional(LATITUDE),
    longitude: optional(LONGITUDE),
    zipcode: optional(ZIPCODE),
    country: COUNTRY,
    radius: optional(
      nullable(number('Kilometres within which codes count.', { minimum: 0, maximum: RADIUS_KM_MAX })),
    ),
    limit: limit('Codes wanted.', NEAREST_MAX, NEAREST_DEFAULT),
  }),
  answer: named(
    'NearestAnswer',
    object('', {
      results: list(
        '',
        named(
          'NearCode',
          object('', {
            postalCode: text('The code in its written form.'),
            country: text('ISO 3166-1 alpha-2.'),
            placeName: text('Name of the primary place.'),
            latitude: LATITUDE,
            longitude: LONGITUDE,
            distance: number('Kilometres, to the metre.', { minimum: 0 }),
          }),
        ),
        { maxItems: NEAREST_MAX },
      ),
      ...ENDING,
    }),
  ),
  errors: [
    'NO_POINT',
    'MISSING_ZIPCODE',
    'INVALID_COUNTRY',
    'INVALID_LATITUDE',
    'INVALID_LONGITUDE',
    'INVALID_RADIUS',
    'INVALID_LIMIT',
    'INSUFFICIENT_BALANCE',
    'CODE_NOT_FOUND',
    'NO_POSITION',
    'RATE_LIMIT',
  ],
  example: {
    request: { latitude: 34.09, longitude: -118.41, limit: 2 },
    answer: {
      results: [
        {
          postalCode: '90210',
          country: 'US',
          placeName: 'Beverly Hills',
          latitude: 34.0901,
          longitude: -118.4065,
          distance: 0.322,
        },
        {
          postalCode: '90212',
          country: 'US',
          placeName: 'Beverly Hills',
          latitude: 34.0619,
          longitude: -118.3995,
          distance: 3.271,
        },
      ],
      ...EXAMPLE_ENDING,
    },
  },
})

export const autocomplete = operation({
  path: '/api/autocomplete',
  group: 'Cities and places',
  summary: 'The codes and cities that somebody who is typing may mean',
  description:
    'Codes ascend. Of cities, what was typed in full comes first, then those with more codes, then the alphabet decides. Names are ' +
    'compared as in `/api/city`; the last word may be the beginning of one.',
  request: object('', {
    apiKey: API_KEY,
    query: text('What has been typed so far.', { minLength: 1 }),
    country: COUNTRY,
    limit: limit('Codes, and cities, that are wanted.', SUGGESTIONS_MAX, SUGGESTIONS_DEFAULT),
  }),
  answer: named(
    'AutocompleteAnswer',
    object('', {
      codes: list(
        '',
        named(
          'SuggestedCode',
          object('', {
            postalCode: text('The code in its written form.'),
            placeName: text('Name of the primary place.'),
            latitude: optional(LATITUDE),
            longitude: optional(LONGITUDE),
          }),
        ),
        { maxItems: SUGGESTIONS_MAX },
      ),
      places: list(
        '',
        named(
          'SuggestedPlace',
          object('', {
            placeName: text('The name, which may be another name of the place.'),
            codes: integer('Postal codes of all places with the name.', { minimum: 1 }),
            areas: list(
              'The level-1 areas in which it is, those with more codes first.',
              named(
                'Area',
                object('', { name: text('Name of the area.'), code: text('Its code; may be empty.') }),
              ),
              { maxItems: AREAS_PER_SUGGESTION_MAX },
            ),
          }),
        ),
        { maxItems: SUGGESTIONS_MAX },
      ),
      ...ENDING,
    }),
  ),
  errors: ['MISSING_QUERY', 'INVALID_COUNTRY', 'INVALID_LIMIT', 'INSUFFICIENT_BALANCE', 'RATE_LIMIT'],
  example: {
    request: { query: 'K1', country: 'CA', limit: 1 },
    answer: {
      codes: [{ postalCode: 'K1A', placeName: 'Ottawa', latitude: 45.4207, longitude: -75.7023 }],
      places: [],
      ...EXAMPLE_ENDING,
    },
  },
})

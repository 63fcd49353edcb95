/** countries and format. */
import { API_KEY, COUNTRY, ENDING, EXAMPLE_ENDING, ZIPCODE } from '../common-shapes.ts'
import { operation } from '../operation.ts'
import {
  flag,
  integer,
  list,
  named,
  nullable,
  object,
  oneOfTexts,
  optional,
  text,
  type Value,
} from '../schema.ts'

const count = (what: string) => integer(what, { minimum: 0 })

const COUNTRY_ENTRY = named(
  'CountryEntry',
  object('What the index has of a country.', {
    country: text('ISO 3166-1 alpha-2.'),
    name: text('Its name in English.'),
    completeness: oneOfTexts('Whether all codes are there, only their first characters, or a part of them.', [
      'full',
      'short codes',
      'partial',
    ]),
    codes: count('Postal codes.'),
    places: count('Places: names with their areas.'),
    withPosition: count('Codes whose position is known.'),
    withTimezone: count('Codes whose time zone is known.'),
    withElevation: count('Codes whose elevation is known.'),
    withName: count('Codes whose place has a name.'),
  }),
)
export type CountryEntry = Value<typeof COUNTRY_ENTRY>

const FORMAT_ENTRY = named(
  'CodeFormat',
  object('One of the forms that the codes of a country have.', {
    format: text('`N` is a digit, `A` a letter, all else stands for itself.', { examples: ['NN-NNN'] }),
    example: text('A code of this form that exists.'),
    pattern: text('A regular expression for the written form.', { format: 'regex' }),
  }),
)
export type FormatEntry = Value<typeof FORMAT_ENTRY>

export const countries = operation({
  path: '/api/countries',
  group: 'Cities and places',
  summary: 'What the index covers',
  description: 'Every country that has codes, ascending by its code, or the one that is asked for.',
  request: object('', { apiKey: API_KEY, country: { ...COUNTRY, json: { type: ['string', 'null'] } } }),
  answer: named('CountriesAnswer', object('', { countries: list('', COUNTRY_ENTRY), ...ENDING })),
  errors: ['INVALID_COUNTRY', 'INSUFFICIENT_BALANCE', 'COUNTRY_WITHOUT_DATA', 'RATE_LIMIT'],
  example: {
    request: { country: 'VA' },
    answer: {
      countries: [
        {
          country: 'VA',
          name: 'Vatican City',
          completeness: 'full',
          codes: 1,
          places: 1,
          withPosition: 1,
          withTimezone: 1,
          withElevation: 1,
          withName: 1,
        },
      ],
      ...EXAMPLE_ENDING,
    },
  },
})

export const format = operation({
  path: '/api/format',
  group: 'Postal codes',
  summary: 'How a country writes its codes',
  description:
    'The forms of the codes that the index has, the most frequent first; and with `zipcode`, the written form of that code.',
  request: object('', { apiKey: API_KEY, country: COUNTRY, zipcode: optional(ZIPCODE) }),
  answer: named(
    'FormatAnswer',
    object('', {
      country: text('ISO 3166-1 alpha-2.'),
      formats: list('', FORMAT_ENTRY),
      valid: optional(flag('Whether the code exists; only with `zipcode`.')),
      normalized: optional(
        nullable(text('Its written form, or null when it does not exist; only with `zipcode`.')),
      ),
      ...ENDING,
    }),
  ),
  errors: [
    'MISSING_ZIPCODE',
    'INVALID_COUNTRY',
    'INSUFFICIENT_BALANCE',
    'COUNTRY_WITHOUT_DATA',
    'RATE_LIMIT',
  ],
  example: {
    request: { country: 'PL', zipcode: '42120' },
    answer: {
      country: 'PL',
      formats: [{ format: 'NN-NNN', example: '42-120', pattern: '^[0-9]{2}-[0-9]{3}$' }],
      valid: true,
      normalized: '42-120',
      ...EXAMPLE_ENDING,
    },
  },
})

/** city. */
import { CITY_PAGE_MAX } from '../../limits.ts'
import { API_KEY, COUNTRY, ENDING, EXAMPLE_ENDING } from '../common-shapes.ts'
import { operation } from '../operation.ts'
import { integer, list, named, nullable, object, optional, text } from '../schema.ts'

const area = optional(
  nullable(text('A state or another area of levels 1 to 3, by name or code. In the US, this or the other.')),
)

export const city = operation({
  path: '/api/city',
  group: 'Cities and places',
  summary: 'The postal codes of a city',
  description:
    'Names are compared without case, accents and punctuation, and with their common short forms. When no name is equal, ' +
    'the nearest counts, and `matchedCity` says so.',
  request: object('', {
    apiKey: API_KEY,
    city: text('The name of a city.', { minLength: 1 }),
    state: area,
    ST: area,
    country: COUNTRY,
    limit: optional(
      nullable(integer('Codes wanted, at most. All when absent.', { minimum: 1, maximum: CITY_PAGE_MAX })),
    ),
    offset: optional(
      nullable(integer('Codes left out before them.', { minimum: 0, maximum: CITY_PAGE_MAX, default: 0 })),
    ),
  }),
  answer: named(
    'CityAnswer',
    object('', {
      zipcodes: list("The city's codes in their written form, ascending, each once.", text('')),
      matchedCity: optional(text('The name that was meant; only after a close match.')),
      matchedState: optional(text('Name of its level-1 area; only after a close match.')),
      matchedST: optional(text('Code of its level-1 area; only after a close match.')),
      total: optional(
        integer("All of the city's codes; only when `limit` or `offset` was given.", { minimum: 1 }),
      ),
      ...ENDING,
    }),
  ),
  errors: [
    'MISSING_CITY',
    'MISSING_STATE',
    'INVALID_COUNTRY',
    'INVALID_LIMIT',
    'INVALID_OFFSET',
    'INSUFFICIENT_BALANCE',
    'CITY_NOT_FOUND',
    'RATE_LIMIT',
  ],
  example: {
    request: { city: 'Beverly Hils', ST: 'CA' },
    answer: {
      zipcodes: ['90209', '90210', '90211', '90212', '90213'],
      matchedCity: 'Beverly Hills',
      matchedState: 'California',
      matchedST: 'CA',
      ...EXAMPLE_ENDING,
    },
  },
})

/** Endpoints of cities and countries: city, autocomplete, list, countries. */

import { COMPLETENESS } from '../../postal/format/meta.ts'
import { DEFAULT_COUNTRY } from '../../postal/index/country-table.ts'
import { LISTS } from '../../postal/library/records.ts'
import {
  AREAS_PER_SUGGESTION_MAX,
  CITY_PAGE_MAX,
  LIST_DEFAULT,
  LIST_MAX,
  SUGGESTIONS_DEFAULT,
  SUGGESTIONS_MAX,
} from '../../postal/limits.ts'
import { endpoint, valueIn } from './endpoint.ts'
import {
  anyCountry,
  country,
  isText,
  isUS,
  LATITUDE,
  LONGITUDE,
  optionalText,
  requiredField,
  wholeNumber,
  withRule,
} from './request-fields.ts'
import { integer, list, named, oneOfTexts, optional, text } from './schema.ts'

/** Codes of a city that are written in less than a millisecond. */
const SHORT_CITY_CODES_MAX = 1000

const area = optionalText(
  'A state or another area of levels 1 to 3, by name or code. The US needs `state` or `ST`.',
  'INVALID_STATE',
)
const state = withRule(
  area,
  'MISSING_STATE',
  body => isUS(valueIn(body, 'country')) && !isText(valueIn(body, 'state')) && !isText(valueIn(body, 'ST')),
)

export const city = endpoint({
  name: 'city',
  usageClass: 3,
  group: 'Cities and places',
  summary: 'The postal codes of a city',
  description:
    'Names are compared without case, accents and punctuation, and with their common short forms. Without an equal name, ' +
    'the closest one counts, and `matchedCity` names it.',
  fields: {
    city: requiredField(text('The name of a city.', { minLength: 1 }), 'MISSING_CITY', isText),
    country,
    state,
    ST: area,
    limit: wholeNumber('Maximum number of codes; all without it.', 'INVALID_LIMIT', 1, CITY_PAGE_MAX),
    offset: wholeNumber('Number of codes to skip.', 'INVALID_OFFSET', 0, CITY_PAGE_MAX, { default: 0 }),
  },
  answer: {
    zipcodes: list("The city's codes in their written form, ascending, each once.", text('')),
    matchedCity: optional(text('Name of the matched city; only after a close match.')),
    matchedState: optional(text('Name of its level-1 area; only after a close match.')),
    matchedST: optional(text('Code of its level-1 area; only after a close match.')),
    total: optional(
      integer("Number of all of the city's codes; only with `limit` or `offset`.", { minimum: 1 }),
    ),
  },
  ending: 'single',
  errors: ['CITY_NOT_FOUND'],
  example: {
    body: { city: 'Beverly Hils', ST: 'CA' },
    answer: {
      zipcodes: ['90209', '90210', '90211', '90212', '90213'],
      matchedCity: 'Beverly Hills',
      matchedState: 'California',
      matchedST: 'CA',
    },
  },
  tool: {
    name: 'find_city_postal_codes',
    title: 'Find the postal codes of a city',
    defaults: { limit: 100 },
  },
  isLong(codes, { city, ...where }) {
    const count = codes.exactCityCodes(city, where)
    return count === 0 || count > SHORT_CITY_CODES_MAX
  },
  run(codes, { city, ...where }) {
    const found = codes.city(city, where)
    if (found === undefined) return { error: 'CITY_NOT_FOUND' }
    const { zipcodes, matched, total } = found
    return {
      zipcodes,
      ...(matched?.city && { matchedCity: matched.city }),
      ...(matched?.state && { matchedState: matched.state }),
      ...(matched?.ST && { matchedST: matched.ST }),
      ...(total !== undefined && { total }),
    }
  },
})

export const autocomplete = endpoint({
  name: 'autocomplete',
  usageClass: 6,
  group: 'Cities and places',
  summary: 'Suggestions of codes and cities while somebody types',
  description:
    'Codes ascend. A city that was typed in full comes first, then cities of the state, then cities with more codes, then by ' +
    'alphabet. Names are compared like in `/api/city`. The last word may be incomplete.',
  fields: {
    query: requiredField(
      text('The typed text. A comma and the state may follow a city.', { minLength: 1 }),
      'MISSING_QUERY',
      isText,
    ),
    country,
    state: optionalText('A state or another area, by name or code. Its cities come first.', 'INVALID_STATE'),
    limit: wholeNumber('Maximum number of codes, and of cities.', 'INVALID_LIMIT', 1, SUGGESTIONS_MAX, {
      default: SUGGESTIONS_DEFAULT,
    }),
  },
  answer: {
    codes: list(
      '',
      named('SuggestedCode', '', {
        postalCode: text('The code in its written form.'),
        placeName: text('Name of the primary place.'),
        latitude: optional(LATITUDE),
        longitude: optional(LONGITUDE),
      }),
      { maxItems: SUGGESTIONS_MAX },
    ),
    places: list(
      '',
      named('SuggestedPlace', '', {
        placeName: text('A name of the place.'),
        codes: integer('Postal codes of all places with the name.', { minimum: 1 }),
        areas: list(
          'Its level-1 areas, those with more codes first.',
          named('Area', '', { name: text('Name of the area.'), code: text('Its code; may be empty.') }),
          { maxItems: AREAS_PER_SUGGESTION_MAX },
        ),
      }),
      { maxItems: SUGGESTIONS_MAX },
    ),
  },
  ending: 'single',
  example: {
    body: { query: 'K1', country: 'CA', limit: 1 },
    answer: {
      codes: [{ postalCode: 'K1A', placeName: 'Ottawa', latitude: 45.4207, longitude: -75.7023 }],
      places: [],
    },
  },
  tool: { name: 'suggest_postal_codes', title: 'Suggest postal codes and cities' },
  // A state is compared with the places of all names that begin so, and many begin with one letter.
  isLong: (_codes, { query, state }) => query.length === 1 || state !== undefined || query.includes(','),
  run: (codes, { query, ...options }) => codes.autocomplete(query, options),
})

export const listPlaces = endpoint({
  name: 'list',
  usageClass: 13,
  group: 'Cities and places',
  summary: 'The states of a country, the cities of a state, its postal codes',
  description:
    'One page of one list, ascending. Cities need a `state`. Codes are of a `state` or of the whole country.',
  fields: {
    list: requiredField(
      oneOfTexts('What to list.', LISTS),
      'INVALID_LIST',
      value => isText(value) && (LISTS as readonly unknown[]).includes(value),
    ),
    country,
    state: withRule(
      optionalText('A state or another area of levels 1 to 3, by name or code.', 'INVALID_STATE'),
      'MISSING_STATE',
      ({ list, state, ST }) => list === 'cities' && !isText(state) && !isText(ST),
    ),
    ST: optionalText('Used if `state` is absent.', 'INVALID_STATE'),
    limit: wholeNumber('Maximum number of items.', 'INVALID_LIMIT', 1, LIST_MAX, {
      default: LIST_DEFAULT,
    }),
    offset: wholeNumber('Number of items to skip.', 'INVALID_OFFSET', 0, CITY_PAGE_MAX, { default: 0 }),
  },
  answer: {
    states: optional(
      list(
        'The areas of level 1.',
        named('State', '', {
          name: text('Its name.'),
          code: text('Its code; may be empty.'),
          codes: integer('Its postal codes.', { minimum: 1 }),
        }),
      ),
    ),
    cities: optional(list('Names of the primary places of its codes.', text(''))),
    zipcodes: optional(list('Its codes in their written form.', text(''))),
    total: integer('Number of items on all pages.', { minimum: 0 }),
  },
  ending: 'single',
  errors: ['STATE_NOT_FOUND', 'COUNTRY_WITHOUT_DATA'],
  example: {
    body: { list: 'zipcodes', state: 'CA', limit: 2 },
    answer: { zipcodes: ['90001', '90002'], total: 2593 },
  },
  tool: { name: 'list_places', title: 'List states, cities or postal codes', defaults: { limit: 100 } },
  isLong: () => true,
  run(codes, { list, ...where }) {
    const found = codes.list(list, where)
    if (found !== undefined) return found
    return {
      error:
        codes.countries(where.country ?? DEFAULT_COUNTRY).length > 0
          ? 'STATE_NOT_FOUND'
          : 'COUNTRY_WITHOUT_DATA',
    }
  },
})

const count = (description: string) => integer(description, { minimum: 0 })

const COUNTRY_ENTRY = named('CountryEntry', 'Coverage of a country.', {
  country: text('ISO 3166-1 alpha-2.'),
  name: text('Its name in English.'),
  completeness: oneOfTexts('All codes, only their first characters, or a part of the codes.', COMPLETENESS),
  codes: count('Postal codes.'),
  places: count('Places: names with their areas.'),
  withPosition: count('Codes with a known position.'),
  withTimezone: count('Codes with a known time zone.'),
  withElevation: count('Codes with a known elevation.'),
  withName: count('Codes with a place name.'),
})

export const countries = endpoint({
  name: 'countries',
  usageClass: 8,
  group: 'Cities and places',
  summary: 'Coverage of the index',
  description: 'Every country with codes, ascending by its code, or only the given one.',
  fields: { country: anyCountry },
  answer: { countries: list('', COUNTRY_ENTRY) },
  ending: 'single',
  errors: ['COUNTRY_WITHOUT_DATA'],
  example: {
    body: { country: 'VA' },
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
          withElevation: 0,
          withName: 1,
        },
      ],
    },
  },
  tool: { name: 'postal_code_coverage', title: 'Which countries have postal codes' },
  run(codes, { country }) {
    const countries = codes.countries(country)
    return country !== undefined && countries.length === 0 ? { error: 'COUNTRY_WITHOUT_DATA' } : { countries }
  },
})

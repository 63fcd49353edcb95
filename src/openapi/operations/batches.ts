/** validate-bulk and lookup-bulk. */
import type { ErrorCode } from '../../errors.ts'
import { BULK_RECORDS_MAX } from '../../limits.ts'
import { API_KEY, BATCH_ENDING, BATCH_EXAMPLE_ENDING } from '../common-shapes.ts'
import { operation } from '../operation.ts'
import { flag, list, named, nullable, object, oneOfTexts, text } from '../schema.ts'
import { META } from './codes.ts'

const RECORDS = object('', {
  apiKey: API_KEY,
  records: list(
    'Postal codes of any mix of countries.',
    object('', {
      postalCode: text('A postal code; a number is refused here.', { minLength: 1 }),
      countryCode: text('Two letters; there is no default country.', { pattern: '^[A-Za-z]{2}$' }),
    }),
    { minItems: 1, maxItems: BULK_RECORDS_MAX },
  ),
})
const ERRORS: readonly ErrorCode[] = [
  'MISSING_RECORDS',
  'EMPTY_RECORDS',
  'TOO_MANY_RECORDS',
  'RECORD_POSTAL_CODE',
  'RECORD_COUNTRY_CODE',
  'INSUFFICIENT_BALANCE_BULK',
  'RATE_LIMIT_BULK',
]
const REASONS = ['not_found', 'invalid_format', 'unknown_country'] as const

const VERDICT = {
  postalCode: text('The input, unchanged.'),
  countryCode: text('The input in capitals.'),
  valid: flag('Whether the code exists in the country.'),
  normalized: nullable(text('The written form of the code that was found.')),
  reason: nullable(oneOfTexts('Why it is not valid.', REASONS)),
}

export const validateBulk = operation({
  path: '/api/validate-bulk',
  group: 'Batches',
  summary: `Whether each of up to ${BULK_RECORDS_MAX} postal codes exists`,
  description:
    'One result for each record, in their order. A malformed record refuses the whole request; a code that does not exist never does.',
  request: RECORDS,
  answer: named(
    'ValidateBulkAnswer',
    object('', { results: list('', named('Verdict', object('', VERDICT))), ...BATCH_ENDING }),
  ),
  errors: ERRORS,
  example: {
    request: {
      records: [
        { postalCode: 'SW1A 1AA', countryCode: 'gb' },
        { postalCode: 'FOO99', countryCode: 'US' },
      ],
    },
    answer: {
      results: [
        { postalCode: 'SW1A 1AA', countryCode: 'GB', valid: true, normalized: 'SW1A', reason: null },
        { postalCode: 'FOO99', countryCode: 'US', valid: false, normalized: null, reason: 'not_found' },
      ],
      ...BATCH_EXAMPLE_ENDING,
    },
  },
})

export const lookupBulk = operation({
  path: '/api/lookup-bulk',
  group: 'Batches',
  summary: `Everything that is known of up to ${BULK_RECORDS_MAX} postal codes`,
  description: 'As `/api/validate-bulk`, with what `/api/metacode` answers for each code that exists.',
  request: RECORDS,
  answer: named(
    'LookupBulkAnswer',
    object('', {
      results: list('', named('BulkRecord', object('', { ...VERDICT, record: nullable(META) }))),
      ...BATCH_ENDING,
    }),
  ),
  errors: ERRORS,
  example: {
    request: {
      records: [
        { postalCode: '90210-1234', countryCode: 'us' },
        { postalCode: 'FOO99', countryCode: 'US' },
      ],
    },
    answer: {
      results: [
        {
          postalCode: '90210-1234',
          countryCode: 'US',
          valid: true,
          normalized: '90210',
          reason: null,
          record: {
            zipcode: '90210',
            city: 'Beverly Hills',
            state: 'California',
            stateAbbrev: 'CA',
            county: 'Los Angeles',
            latitude: 34.0901,
            longitude: -118.4065,
            accuracy: 'code',
            timezone: 'America/Los_Angeles',
            elevation: 71,
          },
        },
        {
          postalCode: 'FOO99',
          countryCode: 'US',
          valid: false,
          normalized: null,
          reason: 'not_found',
          record: null,
        },
      ],
      ...BATCH_EXAMPLE_ENDING,
    },
  },
})

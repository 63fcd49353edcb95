/** Endpoints of many postal codes: validate-bulk, lookup-bulk. */

import type { PostalCodes } from '../../postal/library/postal-codes.ts'
import { INVALID_REASONS } from '../../postal/library/records.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import { META, metacode } from './codes.ts'
import { endpoint, type Fault, type Field } from './endpoint.ts'
import { DETAIL, requestedInBulk } from './request-fields.ts'
import { flag, list, named, nullable, object, oneOfTexts, type Schema, text, type Value } from './schema.ts'

const COUNTRY_CODE = /^[A-Za-z]{2}$/

export const RECORD = object('', {
  postalCode: text('A postal code; a number is refused here.', { minLength: 1 }),
  countryCode: text('Two letters; there is no default country.', { pattern: COUNTRY_CODE.source }),
})

/** Returns the field of a bulk request's records. They have the members of `RECORD`, and optional texts. */
export function recordsOf<R extends Value<typeof RECORD>>(
  record: Schema<R> & { readonly members: object },
): Field<R[]> {
  const texts = Object.keys(record.members).filter(name => !Object.hasOwn(RECORD.members, name))
  return {
    schema: list('Postal codes of any mix of countries.', record, {
      minItems: 1,
      maxItems: BULK_RECORDS_MAX,
    }),
    isRequired: true,
    errors: [
      'MISSING_RECORDS',
      'EMPTY_RECORDS',
      'TOO_MANY_RECORDS',
      'RECORD_POSTAL_CODE',
      'RECORD_COUNTRY_CODE',
      ...(texts.length > 0 ? (['RECORD_ADDRESS'] as const) : []),
    ],
    check(value) {
      if (!Array.isArray(value)) return { error: 'MISSING_RECORDS' }
      if (value.length === 0) return { error: 'EMPTY_RECORDS' }
      if (value.length > BULK_RECORDS_MAX) return { error: 'TOO_MANY_RECORDS' }
      for (const [at, record] of value.entries()) {
        const fault = faultOf(record, at, texts)
        if (fault !== null) return fault
      }
      return null
    },
  }
}

const records = recordsOf(RECORD)

function faultOf(value: unknown, record: number, texts: readonly string[]): Fault | null {
  const fields = (value ?? {}) as Record<string, unknown>
  const { postalCode, countryCode } = fields
  if (typeof postalCode !== 'string' || postalCode === '') return { error: 'RECORD_POSTAL_CODE', record }
  if (typeof countryCode !== 'string' || !COUNTRY_CODE.test(countryCode))
    return { error: 'RECORD_COUNTRY_CODE', record }
  if (texts.some(name => typeof (fields[name] ?? '') !== 'string')) return { error: 'RECORD_ADDRESS', record }
  return null
}

const VERDICT = {
  postalCode: text('The input, unchanged.'),
  countryCode: text('The input in capitals.'),
  valid: flag('True if the code exists in the country.'),
  normalized: nullable(text('The written form of the found code.')),
  reason: nullable(oneOfTexts('Why it is not valid.', INVALID_REASONS)),
  detail: DETAIL,
}

function verdictOf(codes: PostalCodes, { postalCode, countryCode }: Value<typeof RECORD>) {
  return { postalCode, countryCode: countryCode.toUpperCase(), ...codes.check(postalCode, countryCode) }
}

const WRONG = {
  postalCode: 'FOO99',
  countryCode: 'US',
  valid: false,
  normalized: null,
  reason: 'not_found',
  detail: 'wrong_format',
} as const

export const validateBulk = endpoint({
  name: 'validate-bulk',
  usageClass: 4,
  group: 'Batches',
  summary: `Whether each of up to ${BULK_RECORDS_MAX} postal codes exists`,
  description:
    'One result for each record, in order. A malformed record refuses the whole request. A code that does not exist does not.',
  fields: { records },
  answer: { results: list('', named('Verdict', '', VERDICT)) },
  ending: 'bulk',
  example: {
    body: {
      records: [
        { postalCode: 'SW1A 1AA', countryCode: 'gb' },
        { postalCode: 'FOO99', countryCode: 'US' },
      ],
    },
    answer: {
      results: [
        { postalCode: 'SW1A 1AA', countryCode: 'GB', valid: true, normalized: 'SW1A', reason: null },
        WRONG,
      ],
    },
  },
  tool: { name: 'validate_postal_codes', title: 'Validate postal codes' },
  run: (codes, { records }) => ({ results: records.map(record => verdictOf(codes, record)) }),
})

export const lookupBulk = endpoint({
  name: 'lookup-bulk',
  usageClass: 7,
  group: 'Batches',
  summary: `All data of up to ${BULK_RECORDS_MAX} postal codes`,
  description:
    'Answers like `/api/validate-bulk`, with the record of `/api/metacode` for each code that exists.',
  fields: { records, ...requestedInBulk },
  answer: {
    results: list('', named('BulkRecord', '', { ...VERDICT, record: nullable(META) })),
  },
  ending: 'bulk',
  example: {
    body: {
      records: [
        { postalCode: '37 000', countryCode: 'mx' },
        { postalCode: 'FOO99', countryCode: 'US' },
      ],
    },
    answer: {
      results: [
        {
          postalCode: '37 000',
          countryCode: 'MX',
          valid: true,
          normalized: '37000',
          reason: null,
          record: metacode.example.answer.meta,
        },
        { ...WRONG, record: null },
      ],
    },
  },
  workerBytes: 4096,
  run: (codes, { records, ...asked }) => ({
    results: records.map(record => ({
      ...verdictOf(codes, record),
      record: codes.metadata(record.postalCode, record.countryCode, asked) ?? null,
    })),
  }),
})

/** Endpoints of addresses: verify, verify-bulk. */

import { FIT_VERDICTS, type Fit } from '../../postal/library/records.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import { RECORD, recordsOf } from './bulk.ts'
import { endpoint } from './endpoint.ts'
import { country, optionalText, zipcode } from './request-fields.ts'
import {
  list,
  named,
  nullable,
  object,
  oneOfTexts,
  optional,
  type Schema,
  text,
  type Value,
} from './schema.ts'

/** Maximum number of codes of a city that a server thread compares with a code, in 0.1 ms. */
const COMPARED_CODES_MAX = 20_000

const VERDICT = oneOfTexts(
  '`match`; `close`: a similar spelling; `mismatch`; `unknown`: the code does not exist, or the country has no data.',
  FIT_VERDICTS,
)
const FIT: Schema<Fit> = named('Fit', '', {
  verdict: VERDICT,
  value: nullable(text('The right value, if it is known.')),
})
const CITY = 'A city, compared with all names of the places of the code.'
const STATE = 'Name or code of a state, or of an area of levels 1 to 3.'
/** Answer of verify, and a result of verify-bulk. */
const VERIFICATION = {
  verdict: VERDICT,
  zipcode: FIT,
  city: optional(FIT),
  state: optional(FIT),
}

const MISTYPED = {
  verdict: 'close',
  zipcode: { verdict: 'match', value: '90210' },
  city: { verdict: 'close', value: 'Beverly Hills' },
  state: { verdict: 'match', value: 'California' },
} as const

export const verify = endpoint({
  name: 'verify',
  usageClass: 11,
  group: 'Postal codes',
  summary: 'Whether a postal code, a city and a state belong together',
  description:
    'Each given field has its own verdict, with the right value. The first `verdict` is the worst of them. A code that does not exist is an answer, and is charged.',
  fields: {
    zipcode,
    country,
    city: optionalText(CITY, 'INVALID_CITY'),
    state: optionalText(STATE, 'INVALID_STATE'),
    ST: optionalText(STATE, 'INVALID_STATE'),
  },
  answer: VERIFICATION,
  ending: 'single',
  example: { body: { zipcode: '90210', city: 'Beverly Hils', state: 'CA' }, answer: MISTYPED },
  tool: { name: 'verify_address', title: 'Check that postal code, city and state belong together' },
  isLong: (codes, { city = '', country }) => codes.exactCityCodes(city, { country }) > COMPARED_CODES_MAX,
  run: (codes, { zipcode, country, ...given }) => codes.verify(zipcode, given, country),
})

const ADDRESS = object('', {
  ...RECORD.members,
  city: optional(text(CITY)),
  state: optional(text(STATE)),
  ST: optional(text(STATE)),
})

export const verifyBulk = endpoint({
  name: 'verify-bulk',
  usageClass: 12,
  group: 'Batches',
  summary: `Whether up to ${BULK_RECORDS_MAX} postal codes, cities and states belong together`,
  description: 'Takes records like `/api/validate-bulk`, and answers like `/api/verify` for each record.',
  fields: { records: recordsOf(ADDRESS) },
  answer: { results: list('', named('Verification', '', VERIFICATION)) },
  ending: 'bulk',
  example: {
    body: { records: [{ postalCode: '90210', countryCode: 'us', city: 'Beverly Hils', state: 'CA' }] },
    answer: { results: [MISTYPED] },
  },
  // A record takes up to a millisecond: a code is compared with all codes of London.
  workerBytes: 0,
  run: (codes, { records }) => ({
    results: records.map(({ postalCode, countryCode, ...given }: Value<typeof ADDRESS>) =>
      codes.verify(postalCode, given, countryCode),
    ),
  }),
})

import t from 'tap'
import { sampleCities, sampleCodes } from '../../../bench/input/samples.ts'
import { openIndex } from '../../../src/postal/index/open-index.ts'
import { PostalCodes } from '../../../src/postal/library/postal-codes.ts'
import { ENDINGS } from '../../../src/service/endpoints/endings.ts'
import { type Body, type Endpoint, isFault } from '../../../src/service/endpoints/endpoint.ts'
import { ENDPOINT_LIST, USAGE_NAMES } from '../../../src/service/endpoints/table.ts'
import { ERRORS } from '../../../src/service/errors.ts'
import { startApp } from '../../support/app.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { post } from '../../support/post.ts'

const VALUES = [undefined, null, '', 'x', 5, true, [], {}]
/** Texts as clients send them. Many of them are not codes. */
const ODD_CODES: readonly (readonly [code: string | number, country: string])[] = [
  ['90210-1234', 'US'],
  [' 9 0 2 1 0 ', 'us'],
  [2139, 'US'],
  ['2139', 'US'],
  [10115, 'de'],
  [-90210, 'US'],
  [902.1, 'US'],
  [1e21, 'US'],
  ['SW1A 1AA', 'uk'],
  ['ｓｗ１ａ　１ａａ', 'GB'],
  ['75001 CEDEX 08', 'FR'],
  ['75001 cedex', 'DE'],
  ['100‑0001', 'JP'],
  ['FOO99', 'US'],
  ['12345678901', 'US'],
  ['90210', 'ZZ'],
  ['90210', 'AQ'],
  ['é', 'US'],
  ['-', 'US'],
  ['\ud800', 'US'],
  ['9'.repeat(500), 'US'],
]
const COUNTRIES = [undefined, 'us', 'GB', 'UK', 'ZZ', 'AQ', 'USA', 7]
const RECORD = { postalCode: 'sw1a 1aa', countryCode: 'uk' }

// As in the service, which reads only codes of two letters.
const codes = new PostalCodes(openIndex(DEFAULT_INDEX))
const SEED = 7
const SAMPLE = sampleCodes(codes, 40, SEED).map(({ text, country }) => [text, country] as const)
const ASKED: Body[] = [
  ...[...SAMPLE, ...ODD_CODES].map(([zipcode, country]) => ({ zipcode, country })),
  ...COUNTRIES.map(country => ({ zipcode: '90210', country })),
]
const NAMED: Body[] = sampleCities(codes, 30, SEED).flatMap(({ city, country, ST }) => [
  { city, country, ST },
  { city: `${city}x`, country, ST },
])
const RECORDS = [...SAMPLE, ...ODD_CODES].flatMap(([postalCode, countryCode]) =>
  typeof postalCode === 'string' ? [{ postalCode, countryCode }] : [],
)

/** More bodies of an endpoint, besides its example and `oddBodies`. */
const BODIES: Readonly<Record<string, readonly Body[]>> = {
  lookup: ASKED,
  metacode: [
    ...ASKED,
    { zipcode: '80331', country: 'DE', population: true },
    { zipcode: 90210, places: true },
  ],
  validate: ASKED,
  format: [{ zipcode: 90210 }, { zipcode: 'FOO99' }, { country: 'DE' }, { country: 'AQ' }],
  city: [
    ...NAMED,
    { city: 'Springfield' },
    { city: 'Springfield', ST: 'IL' },
    { city: 'Sprngfield', state: 'illinois' },
    { city: 'Springfield', state: 'CA', ST: 'IL' },
    { city: 'München', country: 'DE' },
    { city: 'Munchn', country: 'DE' },
    { city: 'München', country: 'DE', limit: 3 },
    { city: 'München', country: 'DE', limit: 3, offset: 70 },
    { city: 'München', country: 'DE', offset: 1000 },
    { city: 'Paris', country: 'AQ' },
    { city: 'x'.repeat(200), country: 'DE' },
  ],
  nearest: [
    { zipcode: '90210' },
    { zipcode: '90210', limit: 3, radius: 2 },
    { zipcode: '90210', kind: 'box' },
    { zipcode: 'FOO99' },
    { zipcode: '90210', latitude: 1, longitude: 2 },
    { latitude: 1 },
    { longitude: 1 },
    { latitude: 91, longitude: 0 },
    { latitude: 48, longitude: 11, country: 'DE', limit: 2 },
    { latitude: 48, longitude: 11, country: 'AQ' },
    { latitude: 0, longitude: -140, radius: 1 },
  ],
  distance: [
    { from: 90210, to: '90210-1234' },
    { from: 'sw1a 1aa', fromCountry: 'uk', to: '75001', toCountry: 'fr' },
    { from: 'FOO99', to: '90210' },
    { from: '90210', to: '1', toCountry: 'AQ' },
    { to: '90210' },
  ],
  autocomplete: [
    { query: '9021' },
    { query: 'mün', country: 'de', limit: 50 },
    { query: 'a', country: 'AQ' },
    { query: 'springfield', state: 'Illinois' },
  ],
  countries: [{}, { country: 'uk' }, { country: 'AQ' }],
  list: [{ list: 'states' }, { list: 'zipcodes', limit: 2, offset: 1 }, { list: 'cities', state: 'Nowhere' }],
  'validate-bulk': [
    { records: RECORDS },
    { records: [RECORD, { ...RECORD, postalCode: 5 }] },
    { records: [RECORD, null] },
  ],
  'lookup-bulk': [
    { records: RECORDS },
    { records: [RECORD], population: true },
    { records: [{ ...RECORD, countryCode: 'GBR' }] },
    { records: Array(1001).fill(RECORD) },
  ],
}

function oddBodies({ fields, example }: Endpoint): Body[] {
  return Object.keys(fields).flatMap(name => VALUES.map(value => ({ ...example.body, [name]: value })))
}

t.test('HTTP answers every question as the table of endpoints does', async t => {
  const parts = { index: openIndex(DEFAULT_INDEX), queries: 2_000_000 }
  const { baseUrl, key } = await startApp(t, undefined, parts)
  for (const endpoint of ENDPOINT_LIST) {
    const { name, example, ending, usageClass } = endpoint
    for (const body of [example.body, ...oddBodies(endpoint), ...(BODIES[name] ?? [])]) {
      const sent = JSON.parse(JSON.stringify(body)) as Body
      const message = `${name} ${JSON.stringify(sent).slice(0, 80)}`
      const fault = endpoint.check(codes, sent)
      const expected = fault ?? endpoint.run(codes, sent)
      const { status, json } = await post(baseUrl, `/api/${name}`, { ...sent, apiKey: key })
      if (isFault(expected)) {
        const { status: errorStatus, text } = ERRORS[expected.error]
        const error = text.replace('[N]', `[${expected.record}]`)
        t.match({ status, error: json.error }, { status: errorStatus, error }, message)
        const known = fault === null ? endpoint.errors : Object.values(endpoint.fields).flatMap(f => f.errors)
        t.ok(known.includes(expected.error), `${name} may answer ${expected.error}`)
        continue
      }
      for (const added of Object.keys(ENDINGS[ending])) delete json[added]
      t.same([status, json], [200, JSON.parse(JSON.stringify(expected))], message)
      t.equal(endpoint.queries(sent), usageClass === null ? 0 : endpoint.isBulk ? json.results.length : 1)
    }
  }
})

t.test('the examples are answers of the default index', async t => {
  for (const { name, example, run } of ENDPOINT_LIST) t.same(run(codes, example.body), example.answer, name)
})

t.test('usage classes are numbered without gaps and never change', async t => {
  t.same(
    ENDPOINT_LIST.flatMap(({ usageClass }) => usageClass ?? []).sort((a, b) => a - b),
    USAGE_NAMES.map((_, usage) => usage),
  )
  const stored =
    'lookup metacode validate city validate-bulk nearest autocomplete lookup-bulk countries format distance'
  t.same(USAGE_NAMES.slice(0, 11), stored.split(' '))
})

/** API.md, *validate-bulk*, *aboutapi*, *Bounds* and *Versions*. */

import t from 'tap'
import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { balanceText, post } from '../support/post.ts'
import { needsOperator, openTarget } from './target.ts'

const target = await openTarget(t)
const { baseUrl, key: apiKey } = target
const bulk = (records: unknown, key = apiKey) => post(baseUrl, '/api/validate-bulk', { apiKey: key, records })
const US = { postalCode: '90210', countryCode: 'US' }

t.test('validate-bulk returns a verdict for each record', async t => {
  const cases: [record: object, result: object][] = [
    [US, { valid: true, normalized: '90210', reason: null }],
    [
      { postalCode: ' 90210-1234', countryCode: 'us' },
      { countryCode: 'US', valid: true, normalized: '90210' },
    ],
    [
      { postalCode: '00000', countryCode: 'US' },
      { valid: false, normalized: null, reason: 'not_found' },
    ],
    [
      { postalCode: '!', countryCode: 'US' },
      { valid: false, normalized: null, reason: 'invalid_format', detail: 'wrong_format' },
    ],
    [
      { postalCode: '90210', countryCode: 'ZZ' },
      { valid: false, normalized: null, reason: 'unknown_country' },
    ],
  ]
  const { json } = await bulk(cases.map(([record]) => record))
  t.equal(json.totalCost, (cases.length * QUERY_PRICE_MICROS) / 1e6)
  t.same(json.rateLimit, { enabled: false })
  t.equal(json.results.length, cases.length)
  cases.forEach(([record, result], i) => {
    t.match(json.results[i], { ...record, ...result }, JSON.stringify(record))
    const { detail: _, ...fields } = json.results[i]
    t.same(Object.keys(fields), ['postalCode', 'countryCode', 'valid', 'normalized', 'reason'])
  })
})

t.test('aboutapi describes the service', async t => {
  const { status, json } = await post(baseUrl, '/api/aboutapi', { apiKey })
  t.equal(status, 200)
  t.equal(json.version, '2.0.0', 'the current version')
  t.match(json.coverage, /\d[\d,]* postal codes of \d+ countries/, 'generated from the index')
})

t.test('aboutapi shows free queries, price and cost', needsOperator(target), async t => {
  const { operator } = target
  if (operator === undefined) return
  const { key } = await operator.open()
  t.equal(balanceText(await post(baseUrl, '/api/aboutapi', { apiKey: key })), '0.028', 'free queries: 1,000')
  const one = await post(baseUrl, '/api/validate', { apiKey: key, zipcode: '90210' })
  t.equal(balanceText(one), '0.027972', 'price per query: $0.000028')
  const many = await bulk(new Array(999).fill(US), key)
  t.equal(many.json.totalCost, 0.027972, 'bulk price: N times the price')
  t.equal(balanceText(many), '0', 'exactly a thousand queries')
})

t.test('a thousand records are answered in order', async t => {
  const codes = ['90210', '00000', 'SW1A 1AA', '100-0001', '75001', '?']
  const countries = ['US', 'GB', 'JP', 'FR', 'ZZ', 'DE']
  const records = Array.from({ length: 1000 }, (_, i) => ({
    postalCode: codes[i % 6],
    countryCode: countries[Math.floor(i / 6) % 6],
  }))
  const { status, json } = await bulk(records)
  t.equal(status, 200)
  t.same(
    json.results.map(({ postalCode, countryCode }: typeof US) => ({ postalCode, countryCode })),
    records,
  )
})

import t from 'tap'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { BULK_THRESHOLD_BYTES } from '../../../src/service/endpoints/endpoint.ts'
import { startApp } from '../../support/app.ts'
import { post } from '../../support/post.ts'

const app = await startApp(t)
const { baseUrl } = app

const ASKED: readonly (readonly [code: string, country: string])[] = [
  ['90210-1234', 'us'],
  ['37000', 'MX'],
  ['K1A 0B1', 'CA'],
  ['1000001', 'JP'],
  ['00-001', 'PL'],
  ['FOO99', 'US'],
  ['90210!', 'US'],
  ['1', 'ZZ'],
  ['“75001”', 'FR'],
]
const records = ASKED.map(([postalCode, countryCode]) => ({ postalCode, countryCode }))

async function account(queries: number): Promise<string> {
  const { id, key } = await app.openAccount()
  await app.accounts.credit({
    account: id,
    micros: queries * QUERY_PRICE_MICROS,
    reference: id,
    kind: 'payment',
  })
  return key
}

t.test('verdicts equal those of validate-bulk, and records those of metacode', async t => {
  const apiKey = await account(1000)
  const looked = await post(baseUrl, '/api/lookup-bulk', { apiKey, records })
  const validated = await post(baseUrl, '/api/validate-bulk', { apiKey, records })
  t.equal(looked.status, 200)
  t.same(
    looked.json.results.map(({ record, ...verdict }: { record: unknown }) => verdict),
    validated.json.results,
  )
  for (const [i, [zipcode, country]] of ASKED.entries()) {
    const { json, status } = await post(baseUrl, '/api/metacode', { apiKey, zipcode, country })
    t.same(looked.json.results[i].record, status === 200 ? json.meta : null, `${country} ${zipcode}`)
  }
  t.equal(looked.json.totalCost, (ASKED.length * QUERY_PRICE_MICROS) / 1e6)
})

t.test('a thousand records are answered in order and charged once', async t => {
  const apiKey = await account(1000)
  const many = Array.from({ length: 1000 }, (_, i) => records[i % records.length])
  const body = JSON.stringify({ apiKey, records: many })
  t.ok(body.length > BULK_THRESHOLD_BYTES, 'large enough for a worker')
  const few = await post(baseUrl, '/api/lookup-bulk', { apiKey, records })
  for (let round = 0; round < 2; round++) {
    const { status, json } = await post(baseUrl, '/api/lookup-bulk', body)
    if (round === 1) {
      t.equal(status, 402, 'the balance does not cover another')
      t.equal(json.error, 'Insufficient balance for bulk request')
      continue
    }
    t.equal(status, 200)
    t.equal(json.results.length, 1000)
    json.results.forEach((result: unknown, i: number) => {
      if (JSON.stringify(result) !== JSON.stringify(few.json.results[i % records.length]))
        t.fail(`record ${i}`)
    })
    t.equal(json.totalCost, 0.028)
  }
})

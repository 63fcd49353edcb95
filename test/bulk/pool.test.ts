/** The pool: whatever thread validates a body, the result is the same. */
import t from 'tap'
import { BulkPool } from '../../src/bulk/pool.ts'
import { fixtureIndex } from '../support/fixture-index.ts'

const index = fixtureIndex(t.testdir())
const pool = new BulkPool(index, 1)
t.teardown(() => pool.close())

const RECORDS = [
  { postalCode: '90210', countryCode: 'US' },
  { postalCode: 'sw1a 1aa', countryCode: 'uk' },
  { postalCode: 'Zürich', countryCode: 'DE' },
]
const body = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)))

const CASES: Record<string, unknown> = {
  'a batch': { apiKey: 'key', records: RECORDS },
  'a large batch': { apiKey: 'key', records: Array.from({ length: 1000 }, (_, i) => RECORDS[i % 3]) },
  'a batch with an escape': { apiKey: 'ké"y', records: RECORDS },
  'an error about a record': { apiKey: 'key', records: [...RECORDS, {}] },
  'an error about the body': { apiKey: 'key' },
  'no JSON object': null,
}

for (const [name, value] of Object.entries(CASES)) {
  t.test(`a worker's result is the main thread's: ${name}`, async t => {
    const later = await pool.validateLater(body(value))
    const now = pool.validateNow(body(value))
    t.same(
      [later.error, later.record, later.count, later.length],
      [now.error, now.record, now.count, now.length],
    )
    t.same(later.apiKey && Buffer.from(later.apiKey), now.apiKey && Buffer.from(now.apiKey))
    t.same(Buffer.from(later.bytes.subarray(0, later.length)), Buffer.from(now.bytes.subarray(0, now.length)))
    t.ok(later.error !== null || later.bytes.length > later.length, 'with room for the rest of the response')
  })
}

t.test('only large bodies are worth a worker', async t => {
  t.equal(pool.isImmediate(100), true)
  t.equal(pool.isImmediate(100_000), false)
  t.equal(new BulkPool(index, 0).isImmediate(100_000), true, 'unless there is none')
})

/** The pool: whatever thread validates a body, the result is the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import t from 'tap'
import { BulkPool } from '../../src/bulk/pool.ts'
import { BulkWorkers } from '../../src/bulk/workers.ts'
import { fixtureIndex } from '../support/fixture-index.ts'

const index = fixtureIndex(t.testdir())
const workers = new BulkWorkers(1)
const pool = new BulkPool(index, workers)
t.teardown(() => workers.close())

const RECORDS = [
  { postalCode: '90210', countryCode: 'US' },
  { postalCode: 'sw1a 1aa', countryCode: 'uk' },
  { postalCode: 'Zürich', countryCode: 'DE' },
]
const body = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)))

const NAME = 'validate-bulk'

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
    const later = await pool.readLater(NAME, body(value))
    const now = pool.readNow(NAME, body(value))
    if (later.error !== null || now.error !== null) {
      t.same([later.error, Buffer.from(later.apiKey)], [now.error, Buffer.from(now.apiKey)])
      return
    }
    t.same([later.count, later.length], [now.count, now.length])
    t.same(Buffer.from(later.apiKey), Buffer.from(now.apiKey))
    t.same(Buffer.from(later.bytes.subarray(0, later.length)), Buffer.from(now.bytes.subarray(0, now.length)))
    t.ok(later.bytes.length > later.length, 'with room for the rest of the response')
  })
}

t.test('only large bodies are worth a worker', async t => {
  t.equal(pool.isImmediate(100), true)
  t.equal(pool.isImmediate(100_000), false)
  t.equal(new BulkPool(index).isImmediate(100_000), true, 'unless there is none')
})

t.test(
  'workers give way to the main thread',
  { skip: process.platform !== 'linux' && 'threads have no priority of their own' },
  async t => {
    await pool.readLater(NAME, body({ apiKey: 'key', records: RECORDS }))
    const niceness = readdirSync('/proc/self/task').map(thread => {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
      // After the name, which may hold spaces: proc(5), field 19.
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
    })
    const own = getPriority()
    t.equal(niceness.filter(value => value === Math.min(19, own + 10)).length, 1, niceness.join(' '))
    t.ok(niceness.includes(own))
  },
)

t.test('batches are answered in the order in which they came', async t => {
  const answered: number[] = []
  await Promise.all(
    Array.from({ length: 20 }, async (_, batch) => {
      await pool.readLater(NAME, body({ apiKey: 'key', records: RECORDS }))
      answered.push(batch)
    }),
  )
  t.same(
    answered,
    Array.from({ length: 20 }, (_, batch) => batch),
  )
})

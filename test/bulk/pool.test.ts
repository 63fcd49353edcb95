/** The pool: whatever thread validates a body, the result is the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import t from 'tap'
import { type BulkResult, TAIL_BYTES, type ValidatedBatch } from '../../src/bulk/bulk-result.ts'
import { BulkPool } from '../../src/bulk/pool.ts'
import { BulkWorkers } from '../../src/bulk/workers.ts'
import { fixtureIndex } from '../support/fixture-index.ts'

const index = fixtureIndex(t.testdir())
const pool = new BulkPool(index, new BulkWorkers(1))
t.teardown(() => pool.close())

const RECORDS = [
  { postalCode: '90210', countryCode: 'US' },
  { postalCode: 'sw1a 1aa', countryCode: 'uk' },
  { postalCode: 'Zürich', countryCode: 'DE' },
]
const body = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)))

/** A result that must be of a valid batch. */
function valid(result: BulkResult): ValidatedBatch {
  if (result.error !== null) throw new Error(`a valid batch was refused: ${result.error}`)
  return result
}

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
    if (later.error !== null || now.error !== null) return void t.same(later, now)
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
    await pool.validateLater(body({ apiKey: 'key', records: RECORDS }))
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
      await pool.validateLater(body({ apiKey: 'key', records: RECORDS }))
      answered.push(batch)
    }),
  )
  t.same(
    answered,
    Array.from({ length: 20 }, (_, batch) => batch),
  )
})

t.test('the buffer of an answer that was sent is filled again, unless it is too small', async t => {
  const large = body({ apiKey: 'key', records: Array.from({ length: 1000 }, (_, i) => RECORDS[i % 3]) })
  const long = { postalCode: 'x'.repeat(200_000), countryCode: 'US' }
  const first = valid(await pool.validateLater(body({ apiKey: 'key', records: RECORDS })))
  const text = (result: BulkResult) => {
    const { bytes, length } = valid(result)
    return Buffer.from(bytes.subarray(0, length)).toString()
  }
  const { buffer } = first.bytes
  pool.reuse(first)
  const second = await pool.validateLater(large.slice())
  t.equal(buffer.byteLength, 0, 'it has moved to the worker')
  t.equal(text(second), text(pool.validateNow(large)))
  pool.reuse(second)
  const longBody = body({ apiKey: 'key', records: [long] })
  const third = valid(await pool.validateLater(longBody.slice()))
  t.equal(text(third), text(pool.validateNow(longBody)))
  t.ok(third.bytes.length - third.length >= TAIL_BYTES)
})

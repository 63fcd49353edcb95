/** The history of a key against a plain map of its buckets. */
import fc from 'fast-check'
import t from 'tap'
import { History } from '../../src/ledger/book/history.ts'
import { DAY_MS, HOUR_MS } from '../../src/platform/time.ts'

const KEPT = 5
const FIELDS = 18
const START_MS = 490_000 * HOUR_MS

/** Buckets by start index, each with queries by class and spend. */
type Buckets = Map<number, number[]>

/** What should happen, step by step: wrong dates move, the bucket is added to, the newest ones are kept. */
function addTo(buckets: Buckets, index: number, field: number, amount: number): void {
  const moved = new Array<number>(FIELDS).fill(0)
  for (const [later, fields] of [...buckets]) {
    if (later <= index + DAY_MS / HOUR_MS) continue
    for (let at = 1; at < FIELDS; at++) moved[at] += fields[at]
    buckets.delete(later)
  }
  moved[field] += amount
  const fields = buckets.get(index) ?? new Array<number>(FIELDS).fill(0)
  buckets.set(
    index,
    fields.map((count, at) => count + moved[at]),
  )
  while (buckets.size > KEPT) buckets.delete(Math.min(...buckets.keys()))
}

function contentOf(history: History): [number, number[]][] {
  const rows: [number, number[]][] = []
  history.each((startMs, queries, spentMicros) =>
    rows.push([startMs / HOUR_MS, [0, ...queries, spentMicros]]),
  )
  return rows
}

t.test('any order of hours gives the buckets that a map gives, packed and not', async t => {
  const step = fc.record({
    hours: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }) },
      { weight: 2, arbitrary: fc.integer({ min: -30, max: 0 }) },
      { weight: 1, arbitrary: fc.constantFrom(-9000, 9000) },
    ),
    field: fc.integer({ min: 1, max: FIELDS - 1 }),
    amount: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 2 ** 45 })),
    stored: fc.boolean(),
  })
  const property = fc.property(fc.array(step, { maxLength: 60 }), steps => {
    let history = new History(HOUR_MS, KEPT)
    const buckets: Buckets = new Map()
    let timeMs = START_MS
    for (const { hours, field, amount, stored } of steps) {
      timeMs = Math.max(0, timeMs + hours * HOUR_MS)
      if (field === FIELDS - 1) history.add(timeMs + 1, [], amount)
      else history.add(timeMs + 1, [...new Array<number>(field - 1).fill(0), amount], 0)
      addTo(buckets, timeMs / HOUR_MS, field, amount)
      if (stored) history = restored(history.packed())
    }
    const expected = [...buckets].sort(([a], [b]) => a - b)
    t.strictSame(contentOf(history), expected)
  })
  fc.assert(property, { numRuns: 500, seed: 1 })
})

function restored(packed: Uint8Array): History {
  const history = new History(HOUR_MS, KEPT)
  history.restore(packed)
  return history
}

/**
 * A simulated fleet in random order over a real PostgreSQL. `FLEET_MODEL_RUNS` sets the number of sequences of 200 steps each.
 * `FLEET_MODEL_SEED=<seed>` and one run repeat a failed sequence.
 */
import t from 'tap'
import { runSeeds } from '../ledger/run-seeds.ts'

const FIRST_SEED = Number(process.env.FLEET_MODEL_SEED ?? 1)
const RUNS = Number(process.env.FLEET_MODEL_RUNS ?? 4)

t.setTimeout(3_600_000)

t.test(`${RUNS} random sequences balance to the query`, async t => {
  const { failure, counts } = await runSeeds(
    new URL('./database-sequence.js', import.meta.url),
    FIRST_SEED,
    RUNS,
  )
  t.equal(failure, null)
  t.comment(JSON.stringify(counts))
  if (RUNS < 100) return
  t.ok(counts.acknowledged > 10 * RUNS, 'queries are charged')
  t.ok(counts.grants > RUNS, 'leases are granted')
})

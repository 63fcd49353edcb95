/**
 * A simulated fleet in random order: charges, lost, repeated and delayed messages, recalls, commands, crashes, lost disks,
 * restarts, write-offs. `FLEET_MODEL_RUNS` chooses how many sequences of 200 steps run over the store in memory, and
 * `FLEET_DATABASE_RUNS` how many of 120 over a real PostgreSQL. A failing one is repeated with `FLEET_MODEL_SEED=<seed>` and
 * one run.
 */
import t from 'tap'
import { runSeeds } from '../ledger/run-seeds.ts'

t.setTimeout(3_600_000)

const FIRST_SEED = Number(process.env.FLEET_MODEL_SEED ?? 1)
const MEMORY_RUNS = Number(process.env.FLEET_MODEL_RUNS ?? 600)
const DATABASE_RUNS = Number(process.env.FLEET_DATABASE_RUNS ?? 4)

for (const [runs, where, module] of [
  [MEMORY_RUNS, 'over the rules in memory', './memory-sequence.js'],
  [DATABASE_RUNS, 'over PostgreSQL', './database-sequence.js'],
] as const) {
  t.test(`${runs} sequences ${where} balance to the query`, async t => {
    const { failure, counts } = await runSeeds(new URL(module, import.meta.url), FIRST_SEED, runs)
    t.equal(failure, null)
    t.comment(JSON.stringify(counts))
    if (runs < 100) return
    t.ok(counts.acknowledged > 10 * runs, 'queries are charged')
    t.ok(counts.grants > runs, 'leases are granted')
  })
}

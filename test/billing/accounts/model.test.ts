/** `MODEL_RUNS=1000000` is the nightly number. `MODEL_SEED=<seed> MODEL_RUNS=1` repeats a failed sequence. */
import t from 'tap'
import { runSeeds } from '../ledger/run-seeds.ts'

const RUNS = Number(process.env.MODEL_RUNS ?? 250)
const FIRST_SEED = Number(process.env.MODEL_SEED ?? 1)

t.setTimeout(600_000 + RUNS * 30)

t.test(`${RUNS} random sequences match the model to the micro-dollar`, async t => {
  const { failure } = await runSeeds(new URL('./sequence.js', import.meta.url), FIRST_SEED, RUNS)
  t.equal(failure, null)
})

/**
 * Random sequences of everything that accounts do, against the naive model. `MODEL_RUNS=1000000` is the nightly number. A failing
 * sequence is repeated with `MODEL_SEED=<seed> MODEL_RUNS=1`.
 */
import t from 'tap'
import { runSeeds } from '../ledger/run-seeds.ts'

// Far beyond what it takes on an idle machine; a busy one is no reason to fail.
t.setTimeout(600_000)

const RUNS = Number(process.env.MODEL_RUNS ?? 250)
const FIRST_SEED = Number(process.env.MODEL_SEED ?? 1)

t.test(`${RUNS} sequences answer as the model does, to the micro-dollar`, async t => {
  const { failure } = await runSeeds(new URL('./sequence.js', import.meta.url), FIRST_SEED, RUNS)
  t.equal(failure, null)
})

/**
 * Random sequences of everything that accounts do, against the naive model. CI runs MODEL_RUNS of them; a failing one is
 * repeated with MODEL_SEED=<seed> MODEL_RUNS=1.
 */
import t from 'tap'
import { seededRandom } from '../ledger/random.ts'
import { Sequence } from './sequence.ts'

const RUNS = Number(process.env.MODEL_RUNS ?? 20_000)
const FIRST_SEED = Number(process.env.MODEL_SEED ?? 1)

t.test(`${RUNS} sequences answer as the model does, to the micro-dollar`, async t => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed += 1) {
    try {
      await new Sequence(seededRandom(seed)).run()
    } catch (error) {
      t.fail(`seed ${seed}: repeat it with MODEL_SEED=${seed} MODEL_RUNS=1`)
      throw error
    }
  }
  t.pass()
})

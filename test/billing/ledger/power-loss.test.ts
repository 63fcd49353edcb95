/** `POWER_LOSS_RUNS` and `POWER_LOSS_SEED` choose more runs, or repeat one. */
import t from 'tap'
import { runSeeds } from './run-seeds.ts'

const RUNS = Number(process.env.POWER_LOSS_RUNS ?? 250)
const FIRST_SEED = Number(process.env.POWER_LOSS_SEED ?? 1)

t.setTimeout(600_000 + RUNS * 30)

t.test(
  `${RUNS} runs: what was acknowledged survives, and at most one flush interval of charges is lost`,
  async t => {
    const { failure, counts } = await runSeeds(new URL('./power-loss.js', import.meta.url), FIRST_SEED, RUNS)
    t.equal(failure, null)
    t.comment(counts)
    t.ok((counts.powerLosses ?? 0) > RUNS / 2 || RUNS < 100)
  },
)

/**
 * Services that lose power, or are killed, at every step of their work with the disk. Each seed is one run of up to four
 * lives; `POWER_LOSS_RUNS` and `POWER_LOSS_SEED` choose more of them, or one again.
 */
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { Expectation } from './expectation.ts'
import { FLUSH_MS, idle, Life, SMALL } from './life.ts'
import { seededRandom } from './random.ts'
import { Disk } from './simulated-disk.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { TestClock } from './test-clock.ts'

const RUNS = Number(process.env.POWER_LOSS_RUNS ?? 10_000)
const FIRST_SEED = Number(process.env.POWER_LOSS_SEED ?? 1)

async function run(seed: number): Promise<{ lives: number; powerLosses: number }> {
  const random = seededRandom(seed)
  const disk = new Disk()
  const clock = new TestClock()
  const expected = new Expectation()
  const lives = 1 + random.below(4)
  let powerLosses = 0
  // Charges before this moment must be there; a dead process flushes nothing, so its death counts, not the power's.
  let certainBeforeMs = Number.POSITIVE_INFINITY
  let firstDeathMs = Number.POSITIVE_INFINITY
  for (let life = 0; life < lives; life += 1) {
    const deathMs = await new Life(disk, clock, random, expected, `${life}`).run()
    firstDeathMs = Math.min(firstDeathMs, deathMs)
    if (random.chance(0.7)) {
      disk.losePower(random)
      powerLosses += 1
      certainBeforeMs = Math.min(certainBeforeMs, firstDeathMs - FLUSH_MS)
    } else {
      disk.kill()
    }
    // Sometimes the next life begins without a look, so that damage would add up.
    if (life < lives - 1 && random.chance(0.2)) continue
    await inspect(disk, clock, expected, certainBeforeMs)
    certainBeforeMs = Number.POSITIVE_INFINITY
    firstDeathMs = Number.POSITIVE_INFINITY
  }
  return { lives, powerLosses }
}

/** Opens, compares, closes cleanly, and proves the ledger. */
async function inspect(
  disk: Disk,
  clock: TestClock,
  expected: Expectation,
  certainBeforeMs: number,
): Promise<void> {
  const fs = new SimulatedProcess(disk)
  const accounts = await Accounts.open({ ...SMALL, fs, clock })
  expected.check(accounts, certainBeforeMs)
  await accounts.close()
  const report = await verifyLedger('/data', new SimulatedProcess(disk))
  if (report.status !== 'sound')
    throw new Error(`the ledger is ${report.status}: ${report.problems.join('; ')}`)
}

t.test(
  `${RUNS} runs: what was acknowledged survives, and at most one flush interval of charges is lost`,
  async t => {
    let lives = 0
    let powerLosses = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed += 1) {
      try {
        const result = await run(seed)
        lives += result.lives
        powerLosses += result.powerLosses
      } catch (error) {
        t.fail(`seed ${seed}: repeat it with POWER_LOSS_SEED=${seed} POWER_LOSS_RUNS=1`, {
          error: String(error),
        })
        throw error
      }
      if (seed % 100 === 0) await idle()
    }
    t.comment(`${lives} lives, ${powerLosses} losses of power`)
    t.ok(powerLosses > RUNS / 2 || RUNS < 100)
  },
)

import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { openAccounts } from '../../support/accounts.ts'
import { seededChoices } from '../../support/random.ts'
import { Expectation } from './expectation.ts'
import { FLUSH_MS, Life, SMALL } from './life.ts'
import { Disk } from './simulated-disk.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { TestClock } from './test-clock.ts'

/** Runs up to four lives of a service on one disk. A worker of `runSeeds` calls it. */
export async function runSeed(seed: number): Promise<{ lives: number; powerLosses: number }> {
  const random = seededChoices(seed)
  const disk = new Disk()
  const clock = new TestClock()
  const expected = new Expectation()
  const lives = 1 + random.below(4)
  let powerLosses = 0
  // Earlier charges must be there. The time of death counts: the dead process flushed last.
  let certainBeforeMs = Number.POSITIVE_INFINITY
  let firstDeathMs = Number.POSITIVE_INFINITY
  for (let life = 0; life < lives; life++) {
    const deathMs = await new Life(disk, clock, random, expected, `${life}`).run()
    firstDeathMs = Math.min(firstDeathMs, deathMs)
    if (random.chance(0.7)) {
      disk.losePower(random)
      powerLosses++
      certainBeforeMs = Math.min(certainBeforeMs, firstDeathMs - FLUSH_MS)
    } else {
      disk.kill()
    }
    // Sometimes the next life begins without a check, so that damage adds up.
    if (life < lives - 1 && random.chance(0.2)) continue
    await inspect(disk, clock, expected, certainBeforeMs)
    certainBeforeMs = Number.POSITIVE_INFINITY
    firstDeathMs = Number.POSITIVE_INFINITY
  }
  return { lives, powerLosses }
}

async function inspect(
  disk: Disk,
  clock: TestClock,
  expected: Expectation,
  certainBeforeMs: number,
): Promise<void> {
  const fs = new SimulatedProcess(disk)
  const accounts = await openAccounts({ ...SMALL, fs, clock })
  expected.check(accounts, certainBeforeMs)
  await accounts.close()
  const report = await verifyLedger('/data', new SimulatedProcess(disk))
  if (report.status !== 'sound')
    throw new Error(`the ledger is ${report.status}: ${report.problems.join('; ')}`)
}

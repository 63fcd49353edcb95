/** Random sequences of a simulated fleet over a real PostgreSQL. Their sums are checked sometimes, and at the end. */

import { stopSharedPostgres } from '../../support/postgres.ts'
import { seededRandom } from '../../support/random.ts'
import { SimulatedFleet } from './simulated-fleet.ts'
import { TestDatabase } from './test-database.ts'

const STEPS = 200
const STEPS_PER_CHECK = 20

const opened: { database: Promise<TestDatabase> | null } = { database: null }

/** @throws Error when money is charged twice, lost, spent below zero or never returned */
export async function runSeed(seed: number): Promise<Record<string, number>> {
  opened.database ??= TestDatabase.open()
  const database = await opened.database
  await database.empty()
  const fleet = new SimulatedFleet(database, seededRandom(seed))
  await fleet.prepare()
  for (let step = 0; step < STEPS; step++) {
    await fleet.step()
    if (step % STEPS_PER_CHECK === 0) await fleet.expectSound()
  }
  await fleet.finish()
  return fleet.counts
}

export async function finish(): Promise<void> {
  await (await opened.database)?.close()
  await stopSharedPostgres()
}

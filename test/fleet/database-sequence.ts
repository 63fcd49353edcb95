/** The same sequences over a real PostgreSQL. Its sums are checked now and then, and at the end. */
import { stopSharedPostgres } from '../support/postgres.ts'
import { seededRandom } from '../support/random.ts'
import { SimulatedFleet } from './simulated-fleet.ts'
import { TestDatabase } from './test-database.ts'

const STEPS = 120
const STEPS_PER_CHECK = 20

/** Whose rows somebody else holds, one after the other. */
const TABLES = ['account', 'api_key', 'key_usage', 'lease'] as const

const opened: { database: Promise<TestDatabase> | null } = { database: null }

/** @throws Error when money is charged twice, lost, spent below zero or never returned */
export async function runSeed(seed: number): Promise<Record<string, number>> {
  opened.database ??= TestDatabase.open()
  const database = await opened.database
  await database.empty()
  let locks = seed
  const world = {
    store: database.store,
    setClock: (ms: number) => database.setClock(ms),
    lock: (account: number | null) => database.lock(account, TABLES[locks++ % TABLES.length]),
    faults: () => database.faults(),
    async account(slot: number) {
      const [row] = await database.query('select spent, leased from account where slot = $1', [slot])
      return { spent: Number(row?.spent), leased: Number(row?.leased) }
    },
  }
  const fleet = new SimulatedFleet(world, seededRandom(seed))
  await fleet.prepare()
  for (let step = 0; step < STEPS; step++) {
    await fleet.step()
    if (step % STEPS_PER_CHECK === 0) await fleet.check()
  }
  await fleet.finish()
  return fleet.counts
}

export async function finish(): Promise<void> {
  await (await opened.database)?.close()
  await stopSharedPostgres()
}

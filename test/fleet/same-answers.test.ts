/**
 * The store on PostgreSQL and the one in memory give equal answers to equal calls. `FLEET_CALLS` chooses another number of
 * calls, and `FLEET_SEED` repeats a sequence that failed.
 */
import t from 'tap'
import type { ExchangeAnswer, FleetStore, KeyHour } from '../../src/fleet/store.ts'
import { stopSharedPostgres } from '../support/postgres.ts'
import { seededRandom } from '../support/random.ts'
import { MemoryStore } from './memory-store.ts'
import { type Call, randomCall, randomStepMs } from './random-calls.ts'
import { TestDatabase } from './test-database.ts'

const CALLS = Number(process.env.FLEET_CALLS ?? 1000)
const CALLS_PER_SEQUENCE = 200
const FIRST_SEED = Number(process.env.FLEET_SEED ?? 1)
const START_MS = Date.UTC(2026, 0, 30, 23, 58)

t.setTimeout(600_000)
t.teardown(stopSharedPostgres)

t.test(`${CALLS} random calls have the same answers from both`, async t => {
  const database = await TestDatabase.open()
  t.teardown(() => database.close())
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CALLS / CALLS_PER_SEQUENCE; seed++) {
    const fault = await runSequence(database, seed)
    t.equal(fault, null, `sequence ${seed}`)
    if (fault !== null) break
  }
})

/** A sentence on the first difference, or null. */
async function runSequence(database: TestDatabase, seed: number): Promise<string | null> {
  const random = seededRandom(seed)
  let nowMs = START_MS + random(120_000)
  const memory = new MemoryStore(() => nowMs)
  await database.empty()
  await database.setClock(nowMs)
  const lock = async (account: number | null): Promise<void> => {
    memory.tables.locked.clear()
    if (account !== null) memory.tables.locked.add(account)
    await database.lock(account)
  }
  const readers = [new Reader(memory), new Reader(database.store)]
  for (let at = 0; at < CALLS_PER_SEQUENCE; at++) {
    if (random(4) === 0) {
      nowMs += randomStepMs(random)
      await database.setClock(nowMs)
    }
    const call = randomCall(random, memory)
    const accounts = [...memory.tables.accounts.keys()]
    const locked =
      call.name.startsWith('exchange') && random(10) === 0 ? accounts[random(accounts.length)] : undefined
    if (locked !== undefined) await lock(locked)
    const [expected, found] = [await answer(call, memory), await answer(call, database.store)]
    if (locked !== undefined) await lock(null)
    if (expected !== found) return `call ${at}, ${call.name}\nmemory   ${expected}\ndatabase ${found}`
    if (random(8) > 0) continue
    const [inMemory, inDatabase] = await Promise.all(readers.map(reader => reader.read()))
    if (inMemory !== inDatabase)
      return `changes after call ${at}\nmemory   ${inMemory}\ndatabase ${inDatabase}`
    const faults = await database.faults()
    if (faults.length > 0) return `after call ${at}: ${faults.join('; ')}`
  }
  const [inMemory, inDatabase] = [await imageOf(memory), await imageOf(database.store)]
  return inMemory === inDatabase ? null : `image\nmemory   ${inMemory}\ndatabase ${inDatabase}`
}

async function answer(call: Call, store: FleetStore): Promise<string> {
  try {
    return canonical(await call.run(store))
  } catch (error) {
    return (error as Error).constructor.name
  }
}

/** Follows the changes of a store, and knows what they add up to. */
class Reader {
  readonly #store: FleetStore
  readonly #usage = new Map<number, readonly number[]>()
  #sequence = 0
  #position = '0'

  constructor(store: FleetStore) {
    this.#store = store
  }

  async read(): Promise<string> {
    for (let isComplete = false; !isComplete; ) {
      const changes = await this.#store.changes(this.#sequence, this.#position)
      for (const { sequence } of changes.committed) {
        if (sequence !== ++this.#sequence)
          throw new Error(`transaction ${sequence} follows ${this.#sequence - 1}`)
      }
      for (const { key, queries } of changes.usage) this.#usage.set(key, queries)
      this.#position = changes.position
      isComplete = changes.isComplete
    }
    const usage = [...this.#usage].filter(([, queries]) => queries.some(count => count > 0))
    return canonical([this.#sequence, usage.toSorted(([a], [b]) => a - b)])
  }
}

async function imageOf(store: FleetStore): Promise<string> {
  const image = await store.image()
  const committed: unknown[] = []
  const hours: KeyHour[] = []
  for await (const transaction of image.committed) committed.push(transaction)
  for await (const hour of image.hours) hours.push(hour)
  await image.close()
  return canonical({ committed, hours })
}

/** JSON with sorted keys, of which the order of shares, and names that a database chooses, are no part. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => {
    if (name === 'fleet') return undefined
    if (name === 'accounts' && Array.isArray(inner)) {
      return (inner as ExchangeAnswer['accounts']).map(share => JSON.stringify(sorted(share))).toSorted()
    }
    // Entries of one moment have no order.
    if (name === 'writeOffs')
      return (inner as object[]).map(entry => JSON.stringify(sorted(entry))).toSorted()
    return sorted(inner)
  })
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

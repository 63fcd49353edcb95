/** Random sequences of a simulated fleet over the store in memory, whose sums are checked after every step. */
import { seededRandom } from '../support/random.ts'
import { MemoryStore } from './memory-store.ts'
import { capHeldMicros, freeMicros, heldMicros, type MemoryTables } from './memory-tables.ts'
import { SimulatedFleet } from './simulated-fleet.ts'

const STEPS = 200

/** @throws Error when money is charged twice, lost, spent below zero or never returned */
export async function runSeed(seed: number): Promise<Record<string, number>> {
  let nowMs = 0
  const store = new MemoryStore(() => nowMs)
  const world = {
    store,
    setClock(ms: number) {
      nowMs = ms
    },
    lock(account: number | null) {
      store.tables.locked.clear()
      if (account !== null) store.tables.locked.add(account)
    },
    faults: () => faultsOf(store.tables),
    account: (slot: number) => store.tables.accounts.get(slot) ?? { spent: 0, leased: 0 },
  }
  const fleet = new SimulatedFleet(world, seededRandom(seed))
  await fleet.prepare()
  for (let step = 0; step < STEPS; step++) {
    await fleet.step()
    await fleet.check()
  }
  await fleet.finish()
  return fleet.counts
}

function faultsOf({ accounts, keys }: MemoryTables): string[] {
  const faults: string[] = []
  for (const account of accounts.values()) {
    let held = 0
    for (const lease of account.leases.values()) {
      held += heldMicros(lease)
      if (lease.used > lease.granted) faults.push(`account ${account.slot}: more used than granted`)
    }
    if (held !== account.leased)
      faults.push(`account ${account.slot}: ${account.leased} leased, ${held} held`)
    if (freeMicros(account) < 0) faults.push(`account ${account.slot} is below zero`)
  }
  for (const key of keys.values()) {
    let held = 0
    for (const node of key.leases.keys()) held += capHeldMicros(key, node)
    if (held !== key.monthLeased)
      faults.push(`key ${key.slot}: ${key.monthLeased} of its cap leased, ${held} held`)
  }
  return faults
}

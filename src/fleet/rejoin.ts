/**
 * The next epoch of a node that was given up while it ran: what it held belongs to the customers again. It does what a start does,
 * in the same order, and goes on.
 */
import type { Flusher } from '../accounts/charging/flusher.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ChargingHealth } from './charging-health.ts'
import type { Exchanges } from './exchanges.ts'
import type { FleetNode } from './fleet-node.ts'
import type { FleetRegistry } from './fleet-registry.ts'
import { allCounts } from './journal.ts'
import type { Leases } from './leases.ts'
import { FLEET_REJOIN_MS } from './limits.ts'
import { type FleetStore, GivenUpError, type NodeFacts, UnavailableError } from './store.ts'

export interface RejoinParts {
  store: FleetStore
  /** Its epoch is raised. */
  identity: { readonly node: string; epoch: number }
  facts: NodeFacts
  journal: Ledger
  flusher: Flusher
  registry: FleetRegistry
  exchanges: Exchanges
  leases: Leases
  node: FleetNode
  health: ChargingHealth
}

/** @throws UnavailableError once the node stops; Error when the journal has failed or has less than the database */
export async function rejoin(parts: RejoinParts): Promise<void> {
  const { journal, flusher, registry, exchanges, leases, node, health } = parts
  health.fleetSilent(true)
  // From here on nothing can be charged, so the counts of the journal are final once the meter has been flushed.
  registry.forgetLeases()
  leases.giveUp()
  await flusher.flushWaiting()
  await journal.settled()
  const began = await untilAnswered(exchanges, () => settleNext(parts))
  await untilAnswered(exchanges, () => node.catchUp())
  // A charge that was taken back meanwhile has left its price here; and balances are those of the book that was read just now.
  registry.forgetLeases()
  health.fleetSilent(false)
  exchanges.restart(began)
}

/** Raises the epoch, reports the earlier ones, and returns when it began that. */
async function settleNext({ store, identity, facts, journal, exchanges }: RejoinParts) {
  const began = exchanges.now()
  const { epoch } = await store.begin(identity.node, facts)
  const lost = await store.settle({ node: identity.node, epoch }, allCounts(journal.book))
  if (lost.length > 0)
    throw new Error(
      `the journal has less than the ${lost.length} keys that this node has reported: start it again in its folder`,
    )
  identity.epoch = epoch
  return began
}

async function untilAnswered<T>(exchanges: Exchanges, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isPassing = error instanceof UnavailableError || error instanceof GivenUpError
      if (!isPassing || exchanges.isStopped) throw error
    }
    await new Promise(resolve => setTimeout(resolve, FLEET_REJOIN_MS))
  }
}

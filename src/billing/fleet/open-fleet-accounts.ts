/** Opens the accounts of a fleet's node, with the interface of a ledger's accounts. */
import { setTimeout as sleep } from 'node:timers/promises'
import { closeAll } from '../../platform/promises.ts'
import { accountsOf } from '../accounts/accounts.ts'
import { type AccountsOptions, commandContext } from '../accounts/commands/run-command.ts'
import { LiveState } from '../accounts/live/live-state.ts'
import type { AccountRecord } from '../ledger/book/record.ts'
import { openLedger } from '../ledger/ledger.ts'
import { systemClock } from '../ledger/timeline.ts'
import { allCounts, expectSameSlots, mirrorMissing, Replica, raiseLedger } from './books.ts'
import { FencedError, UnavailableError } from './database-errors.ts'
import { type FleetDatabase, openFleetDatabase } from './fleet-database.ts'
import { fleetNode, orUnavailable } from './fleet-node.ts'
import type { DashboardRowChange, NodeFacts } from './messages.ts'
import { beginInFolder, nodeFolder } from './node-folder.ts'
import { sharedAudit } from './shared-audit.ts'

/** Time between attempts of a start while the database is away. */
const FLEET_START_AGAIN_MS = 1000

export type JoinedFleet = Awaited<ReturnType<typeof openFleetAccounts>>
/** Rows of the dashboard in the database, where the next node with the dashboard finds them. */
export type DashboardRows = JoinedFleet['rows']

/** @param giveUp ends the wait for the database @throws UnavailableError; errors of `openFleetAccounts` */
export async function joinFleet(
  url: string,
  facts: NodeFacts,
  options: AccountsOptions,
  giveUp: AbortSignal,
): Promise<JoinedFleet> {
  let database: FleetDatabase | null = null
  for (let attempt = 1; database === null; attempt++) {
    database = await openFleetDatabase(url).catch(error => {
      if (!(error instanceof UnavailableError) || giveUp.aborted) throw error
      if (attempt === 1) options.onNotice?.(`the start waits for the database of ACCOUNTS: ${error.message}`)
      return null
    })
    if (database === null) await sleep(FLEET_START_AGAIN_MS, undefined, { signal: giveUp }).catch(() => {})
  }
  return openFleetAccounts({ ...options, database, facts })
}

/** Loads ledger and book, reports earlier epochs, and connects the parts. A failure closes the database. */
export async function openFleetAccounts(
  options: AccountsOptions & { database: FleetDatabase; facts: NodeFacts },
) {
  const { database, facts, dir, clock = systemClock, onNotice = () => {} } = options
  const folder = nodeFolder(dir)
  const closers = [() => database.close()]
  try {
    const ledger = await openLedger({ ...options, dir: folder })
    closers.unshift(() => ledger.close())
    // Under the ledger's lock, so that two starts in one folder do not end each other's epoch.
    const identity = await beginInFolder(folder, database)
    const replica = await Replica.open(database)
    // Checked before any report: in another fleet, a slot may belong to another customer's key.
    expectSameSlots(ledger.book, replica.book)
    await mirrorMissing(ledger, replica.book)
    await raiseLedger(ledger, await database.counts(identity.node))
    const { coveredMicros, forgivenMicros } = await database.settle(identity, allCounts(ledger.book))
    if (coveredMicros + forgivenMicros > 0)
      onNotice(
        'the database of the fleet did not know of leases that this node had charged, so it was replaced by an older copy: ' +
          `${coveredMicros} micro-dollars were booked all the same, and ${forgivenMicros} exceeded the balances and are not charged`,
      )

    const live = LiveState.for(ledger.meter.slotsMax)
    const fail = (error: unknown): void => context.fail(error)
    const bookCharges = (account: AccountRecord) => context.bookCharges(account)
    const parts = { facts, clock, onNotice, fail, bookCharges, identity }
    const node = fleetNode({ ...parts, database, ledger, replica, live })
    const onFatal = (error: Error): void => {
      node.leave()
      options.onFatal?.(error)
    }
    const context = commandContext(ledger, node, live, { ...options, onFatal })
    await node.describe()
    node.start()
    const audit = sharedAudit(database, identity.node, fail)
    return {
      accounts: accountsOf(context),
      identity,
      metrics: () => [...node.metrics(), ...audit.metrics()],
      status: () => database.status(),
      audit,
      rows: {
        read: (name: string) => orUnavailable(database.readRows(name)),
        /** Ends the node if another one has the dashboard. @throws AccountError UNAVAILABLE; FencedError */
        write: (name: string, changes: readonly DashboardRowChange[]) =>
          orUnavailable(database.writeRows(identity, name, changes)).catch(error => {
            if (error instanceof FencedError) fail(error)
            throw error
          }),
      },
      /** Claims the dashboard. Resolves with the node that has it; null for this one. */
      async dashboardElsewhere() {
        await node.describe()
        return database.claimDashboard(identity.node)
      },
    }
  } catch (error) {
    await closeAll(...closers).catch(() => {})
    throw error
  }
}

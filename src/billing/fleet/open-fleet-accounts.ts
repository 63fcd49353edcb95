/** Opens the accounts of a fleet's node, with the interface of a ledger's accounts. */
import { setTimeout as sleep } from 'node:timers/promises'
import { counter, gauge, type Metric } from '../../platform/metric.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { Accounts } from '../accounts/accounts.ts'
import { type AccountsOptions, CommandContext } from '../accounts/commands/command-context.ts'
import { CLOCK_AHEAD_MS } from '../accounts/live/live-layout.ts'
import { LiveState } from '../accounts/live/live-state.ts'
import { openLedger } from '../ledger/ledger.ts'
import { systemClock } from '../ledger/timeline.ts'
import { dollars, QUERY_PRICE_MICROS } from '../money.ts'
import { dashboardRows } from './dashboard-rows.ts'
import { UnavailableError } from './database-errors.ts'
import { FleetNode } from './fleet-node.ts'
import { allCounts, expectSameSlots, mirrorAll, olderCopyNotice, Replica, raiseCounts } from './journal.ts'
import { exchangesOf, FLEET_SILENT_MS_MAX, leasesOf } from './leases.ts'
import type { NodeFacts } from './messages.ts'
import { beginInFolder, nodeFolder } from './node-folder.ts'
import { openPostgresStore, type PostgresStore } from './postgres-store.ts'
import { sharedAudit } from './shared-audit.ts'

/** Time between attempts of a start while the database is away. */
const FLEET_START_AGAIN_MS = 1000

const AWAY =
  `the database of the fleet does not answer: this node charges what it holds, for ${FLEET_SILENT_MS_MAX / HOUR_MS} hours at most, ` +
  'and answers 503 to all else'

export interface FleetAccountsOptions extends AccountsOptions {
  store: PostgresStore
  facts: NodeFacts
}

export type JoinedFleet = Awaited<ReturnType<typeof openFleetAccounts>>

/** @param giveUp ends the wait for a database that does not answer. @throws UnavailableError; the errors of `openFleetAccounts` */
export async function joinFleet(
  url: string,
  facts: NodeFacts,
  options: AccountsOptions,
  giveUp: AbortSignal,
): Promise<JoinedFleet> {
  const store = await connectWhenUp(url, giveUp, options.onNotice)
  try {
    return await openFleetAccounts({ ...options, store, facts })
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the accounts in three steps: loads journal and book, wires the parts, and returns their interface. */
export async function openFleetAccounts(options: FleetAccountsOptions) {
  const late: Late = { running: null, context: null }
  const loaded = await load(options, late)
  try {
    return expose(options, loaded, await wire(options, loaded, late))
  } catch (error) {
    await loaded.journal.close()
    throw error
  }
}

/** Parts that the callbacks of earlier ones reach once they exist. */
interface Late {
  running: FleetNode | null
  context: CommandContext | null
}

type Loaded = Awaited<ReturnType<typeof load>>
type Wired = Awaited<ReturnType<typeof wire>>

/** Takes the lock of the node's folder, begins its next epoch, loads the book, and reports the usage of earlier epochs. */
async function load(options: FleetAccountsOptions, late: Late) {
  const { store, dir, onNotice = () => {} } = options
  const folder = nodeFolder(dir)
  let live: LiveState | null = null
  const onFail = (error: unknown): void =>
    late.context?.fail(error instanceof Error ? error : new Error(String(error)))
  const onStall = (isStalled: boolean): void => live?.setStalled(isStalled)
  const journal = await openLedger({
    ...options,
    dir: folder,
    priceMicros: QUERY_PRICE_MICROS,
    onFail,
    onStall,
  })
  try {
    // Under the journal's lock, so that two starts in one folder do not end each other's epoch.
    const identity = await beginInFolder(folder, store, {
      onCommitted: sequence => late.running?.onCommitted(sequence),
      onRecall: account => late.running?.onRecall(account),
    })
    const { replica, position } = await Replica.open(store)
    // Checked before any report: in another fleet, a slot may belong to another customer's key.
    expectSameSlots(journal.book, replica.book)
    await mirrorAll(journal, replica.book)
    await journal.meter.reserve(journal.book.slots.length)
    await raiseCounts(journal, await store.counts(identity.node))
    await store.settle(identity, allCounts(journal.book), lacking => onNotice(olderCopyNotice(lacking)))
    live = LiveState.for(journal.meter.slotsMax)
    return { journal, identity, replica, position, live, onFail }
  } catch (error) {
    await journal.close()
    throw error
  }
}

/** Connects exchanges, leases, flusher and commands, and starts them. */
async function wire(options: FleetAccountsOptions, loaded: Loaded, late: Late) {
  const { store, facts, clock = systemClock, onNotice = () => {} } = options
  const { journal, identity, live, onFail } = loaded
  const node = new FleetNode({ ...loaded, store, facts, onNotice })
  late.running = node
  await node.describe()
  const exchanges = exchangesOf({
    ...{ store, identity, clock, header: live.header },
    onAway(isAway) {
      onNotice(isAway ? AWAY : 'the database of the fleet answers again')
      if (isAway) leases.giveUp()
    },
  })
  const onFatal = (error: Error): void => {
    exchanges.stop()
    options.onFatal?.(error)
  }
  const context = new CommandContext(journal, node, live, { ...options, onFatal })
  late.context = context
  const { send, isAway } = exchanges
  const leases = leasesOf({ journal, flusher: context.flusher, held: node.held, send, isAway, onFail })
  node.start(leases, async () => {
    exchanges.stop()
    // If the database is away, the next start reports the rest.
    await leases.stop().catch(() => {})
    await store.close()
  })
  leases.start()
  return { node, exchanges, leases, context }
}

function expose(
  { store }: FleetAccountsOptions,
  { identity, live, onFail }: Loaded,
  { node, exchanges, leases, context }: Wired,
) {
  return {
    accounts: new Accounts(context),
    identity,
    metrics(): Metric[] {
      const { isAway, exchanges: count, silentMs } = exchanges.state()
      const { silentNodes, inDoubtMicros, isDashboardLive } = node.health
      return [
        gauge('postrie_fleet_epoch', 'Starts of this node.', identity.epoch),
        gauge(
          'postrie_fleet_behind_seconds',
          'Seconds since this node last knew all changes of other nodes. A revocation may be missed for this time.',
          (performance.now() - node.caughtUpMs) / 1000,
        ),
        gauge(
          'postrie_fleet_clock_ahead_seconds',
          "Lead of the database's clock.",
          live.header[CLOCK_AHEAD_MS] / 1000,
        ),
        gauge('postrie_fleet_database_up', '1 while the database answers.', isAway ? 0 : 1),
        counter('postrie_fleet_exchanges_total', 'Exchanges with the database.', count),
        gauge('postrie_fleet_unanswered_seconds', 'Since the last answer.', silentMs / 1000),
        gauge('postrie_fleet_accounts_held', 'Accounts leased from.', leases.size),
        gauge('postrie_fleet_silent_nodes', 'Silent nodes that hold credit.', silentNodes),
        gauge('postrie_fleet_in_doubt_dollars', 'Credit that silent nodes hold.', dollars(inDoubtMicros)),
        gauge('postrie_fleet_dashboard_up', '1 while the dashboard answers.', isDashboardLive ? 1 : 0),
      ]
    },
    status: () => store.status(),
    audit: sharedAudit(store, identity.node, onFail),
    rows: dashboardRows(store, identity, onFail),
    /** Resolves with the other node that has the fleet's dashboard; null if this node has it. @throws UnavailableError */
    async dashboardElsewhere() {
      const holder = await store.claimDashboard(identity.node)
      return holder.node === identity.node ? null : holder
    },
    describe: () => node.describeSoon(),
  }
}

async function connectWhenUp(
  url: string,
  giveUp: AbortSignal,
  onNotice: (notice: string) => void = () => {},
): Promise<PostgresStore> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await openPostgresStore(url)
    } catch (error) {
      if (!(error instanceof UnavailableError) || giveUp.aborted) throw error
      if (attempt === 1) onNotice(`the start waits for the database of ACCOUNTS: ${error.message}`)
    }
    await sleep(FLEET_START_AGAIN_MS, undefined, { signal: giveUp }).catch(() => {})
  }
}

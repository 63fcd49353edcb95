/** Opens the accounts of a node of a fleet: the same to whoever charges and commands as those of a ledger. */
import { randomUUID } from 'node:crypto'
import { Accounts } from '../accounts/accounts.ts'
import { AttachedThreads } from '../accounts/attached-threads.ts'
import { Collector } from '../accounts/charging/collector.ts'
import { Flusher } from '../accounts/charging/flusher.ts'
import { CommandContext } from '../accounts/commands/command-context.ts'
import { Listeners } from '../accounts/listeners.ts'
import { IN_FLEET, NEXT_ROW } from '../accounts/live/live-layout.ts'
import { LiveState } from '../accounts/live/live-state.ts'
import { type AccountsOptions, ROOM, SLOTS_MIN } from '../accounts/open-accounts.ts'
import { systemClock } from '../ledger/clock.ts'
import { Ledger } from '../ledger/ledger.ts'
import { FLUSH_MS_DEFAULT, FREE_ANSWERS_PER_MINUTE_DEFAULT, QUERY_PRICE_MICROS } from '../limits.ts'
import { ChargingHealth } from './charging-health.ts'
import { DashboardRows } from './dashboard-rows.ts'
import { Exchanges } from './exchanges.ts'
import { FleetClock } from './fleet-clock.ts'
import { FleetCommands } from './fleet-commands.ts'
import { FleetNode } from './fleet-node.ts'
import { FleetRegistry } from './fleet-registry.ts'
import { FleetUsage } from './fleet-usage.ts'
import { allCounts, expectSameSlots, mirrorAll, olderCopyNotice, raise } from './journal.ts'
import { LeasedState } from './leased-state.ts'
import { Leases } from './leases.ts'
import { newNode, nodeFolder, readNodeFile, writeNodeFile } from './node-file.ts'
import { rejoin } from './rejoin.ts'
import { Replica } from './replica.ts'
import { SharedAudit } from './shared-audit.ts'
import type { FleetStore, NodeFacts } from './store.ts'

const AWAY = 'the database of the fleet does not answer: this node charges what it holds'
const SILENT =
  'the database of the fleet has been silent for 23 hours: this node charges nothing until it answers'

export interface FleetAccountsOptions extends AccountsOptions {
  /** The database. Closed with the accounts. */
  store: FleetStore
  facts: NodeFacts
}

/** What a node knows of itself, for metrics. */
export interface FleetState {
  node: string
  epoch: number
  /** Milliseconds since this node last knew that it had missed nothing: revocations hold within this time. */
  behindMs: number
  /** By how much the database's clock is ahead of this node's. */
  clockAheadMs: number
  isAway: boolean
  exchanges: number
  /** Milliseconds since the database last answered an exchange. */
  silentMs: number
  /** Accounts that it holds credit of. */
  accountsHeld: number
}

export interface FleetAccounts {
  accounts: Accounts
  state(): FleetState
  /** The audit log of all nodes. */
  audit: SharedAudit
  /** The other node that has the dashboard of the fleet; null: this one has it. @throws UnavailableError */
  dashboardElsewhere(): Promise<{ node: string; address: string } | null>
  /** What the dashboard keeps in the database. */
  rows: DashboardRows
  /** Says at once what the node runs, when `facts` have changed. */
  describe(): void
}

/**
 * Takes the lock of the node's folder, registers its next epoch, reports what earlier ones have used, and loads the book.
 * @throws LedgerError as `Ledger.open`; UnavailableError; Error when the folder belongs to another fleet
 */
export async function openFleetAccounts(options: FleetAccountsOptions): Promise<FleetAccounts> {
  const { store, facts, dir, flushMs = FLUSH_MS_DEFAULT, clock = systemClock, threads = 0 } = options
  const {
    freeAnswersMax = FREE_ANSWERS_PER_MINUTE_DEFAULT,
    slotsMin = SLOTS_MIN,
    onNotice = () => {},
  } = options
  const folder = nodeFolder(dir)
  let stop = (): void => {}
  let fail = (_error: Error): void => {}
  const health = new ChargingHealth()
  const openJournal = (): Promise<Ledger> =>
    Ledger.open({
      ...options,
      dir: folder,
      slotsMin,
      priceMicros: QUERY_PRICE_MICROS,
      onFail: error => fail(error),
      onStall: isStalled => health.journalStalled(isStalled),
    })
  let journal = await openJournal()
  try {
    // Under the journal's lock: two starts in one folder do not raise the epoch of each other.
    const identity = await register(folder, store, facts)
    const replica = new Replica()
    const image = await store.image()
    await replica.load(image).finally(() => image.close())
    // Before anything is reported: a slot of another fleet's journal may be that of another customer's key.
    expectSameSlots(journal.book, replica.book)
    const lost = await store.settle(identity, allCounts(journal.book), lacking =>
      onNotice(olderCopyNotice(lacking)),
    )
    await mirrorAll(journal, replica.book)
    if (lost.length > 0) {
      raise(journal, lost)
      // The meter counts on from what the journal has when it is opened.
      await journal.close()
      journal = await openJournal()
    }

    const state = LiveState.for(Math.max(slotsMin, replica.book.slots.length * ROOM))
    health.attach(state.header)
    state.header[IN_FLEET] = 1
    state.header[NEXT_ROW] = journal.meter.made.rowsUsed
    const collector = new Collector(journal, state)
    const listeners = new Listeners()
    const attached = new AttachedThreads(journal, state, threads, {
      onWake: () => flusher.wake(),
      onDead: error => fail(error),
      lease: (wanted, msMax) => leases.lease(wanted, msMax),
    })
    const registry = new FleetRegistry(
      { book: replica.book, timeline: journal.timeline },
      journal.meter,
      state,
    )
    const events = {
      onAway(isAway: boolean) {
        onNotice(isAway ? AWAY : 'the database answers again')
        if (isAway) leases.giveUp()
      },
      onSilent(isSilent: boolean) {
        onNotice(isSilent ? SILENT : 'this node charges again what it holds')
        health.fleetSilent(isSilent)
      },
    }
    const exchanges = new Exchanges(store, identity, events, clock)
    const fleetClock = new FleetClock(store, journal.timeline, state.header, onNotice)
    await fleetClock.measure()
    await fleetClock.confirming(() => store.describe(identity, facts, replica.sequence))
    const node = new FleetNode({
      store,
      identity,
      facts,
      replica,
      position: image.position,
      journal,
      registry,
      clock: fleetClock,
      threads: attached,
      listeners,
    })
    const flusher = new Flusher(
      {
        ledger: journal,
        registry,
        collector,
        listeners: new Listeners(),
        threads: attached,
        live: state,
        onFlushed: keys => leases.charged(keys),
      },
      flushMs,
      clock,
    )
    const leases = new Leases({
      journal,
      flusher,
      state: new LeasedState(replica.book, journal, registry),
      send: exchange => fleetClock.confirming(() => exchanges.send(exchange)),
      isAway: () => exchanges.isAway,
    })
    const context = new CommandContext({
      ledger: new FleetCommands(node),
      registry,
      listeners,
      threads: attached,
      flusher,
    })
    stop = () => {
      health.stop()
      context.open = false
    }
    fail = error => {
      stop()
      flusher.stop()
      exchanges.stop()
      options.onFatal?.(error)
    }
    node.onFail = error => fail(error)
    node.onNotice = onNotice
    leases.left.onNotice = onNotice
    leases.onFail = error => fail(error)
    leases.onGivenUp = async error => {
      onNotice(`${error.message}; what it had not reported is the customers'`)
      await rejoin({ store, identity, facts, journal, flusher, registry, exchanges, leases, node, health })
      onNotice(`this node charges again, under epoch ${identity.epoch}`)
    }
    const leave = async (): Promise<void> => {
      node.close()
      exchanges.stop()
      // What a database that is away does not learn now, it learns from the next start.
      await leases.stop().catch(() => {})
      await store.close()
    }
    registry.journal = journal.book
    for (const record of replica.book.slots) {
      const limits = record.type === 'key' ? record.rules?.limits : record.limits
      if (record.type === 'key' && record.rolled !== null) registry.markRows(record.slot)
      if (limits != null) await registry.ensureWindows(record, () => attached.row())
    }
    node.start(leases)
    leases.start()
    const accounts = new Accounts({
      ledger: journal,
      context,
      usage: new FleetUsage(registry, journal, collector),
      live: state,
      freeAnswersMax,
      lease: (wanted, msMax) => leases.lease(wanted, msMax),
      stop,
      leave,
    })
    const fleetState = (): FleetState => ({
      ...identity,
      ...exchanges.state,
      behindMs: performance.now() - node.currentMs,
      clockAheadMs: fleetClock.aheadMs,
      isAway: exchanges.isAway,
      accountsHeld: leases.size,
    })
    const dashboardElsewhere = async () => {
      const holder = await store.claimDashboard(identity)
      return holder.node === identity.node ? null : holder
    }
    const audit = new SharedAudit(store, identity.node, error => fail(error))
    const rows = new DashboardRows(store, identity, error => fail(error))
    return { accounts, state: fleetState, audit, dashboardElsewhere, rows, describe: () => node.describe() }
  } catch (error) {
    await journal.close()
    throw error
  }
}

/** The next epoch of the node that this folder belongs to. @throws Error when that is one of another fleet, or the folder a copy */
async function register(folder: string, store: FleetStore, facts: NodeFacts) {
  const file = (await readNodeFile(folder)) ?? newNode()
  const { node, starts, last } = file
  const attempted = file.attempted ?? randomUUID()
  // Before the database knows the node or its start: what it knows and nobody finds again would be in doubt.
  await writeNodeFile(folder, { ...file, attempted })
  if (!(await store.claim(node, last, attempted, starts + 1))) {
    throw new Error(
      `${folder} is a copy: its node ${node} has been started elsewhere since, and may charge there. Two folders cannot count for ` +
        'one node. To have another node here, run `postrie node recover` on this folder, move it away, and start with an empty one.',
    )
  }
  const { epoch, fleet } = await store.begin(node, facts)
  if (file.fleet !== null && file.fleet !== fleet) {
    throw new Error(
      `${folder} belongs to fleet ${file.fleet}, and the database is that of fleet ${fleet}: set ACCOUNTS or DATA_DIR.`,
    )
  }
  await writeNodeFile(folder, { node, fleet, starts: starts + 1, last: attempted, attempted: null })
  return { node, epoch }
}

/** Opens the ledger and puts together all that works on it, on the ledger thread. */
import { systemClock } from '../ledger/clock.ts'
import { Ledger, type LedgerSettings } from '../ledger/ledger.ts'
import { FLUSH_MS_DEFAULT, FREE_ANSWERS_PER_MINUTE_DEFAULT, QUERY_PRICE_MICROS } from '../limits.ts'
import { LedgerStore, type UsageAhead } from './account-store.ts'
import { AttachedThreads } from './attached-threads.ts'
import { Collector } from './charging/collector.ts'
import { Flusher } from './charging/flusher.ts'
import { CommandContext } from './commands/command-context.ts'
import { Listeners } from './listeners.ts'
import { HEALTH, HEALTHY, NEXT_ROW, STALLED, STOPPED } from './live/live-layout.ts'
import { LiveState } from './live/live-state.ts'
import { Registry } from './registry.ts'
import type { Wanted } from './types.ts'

/** Accounts and keys that a new service has room for. */
export const SLOTS_MIN = 1024
/** Room for new ones after a start, so that a service that grows seldom has to make more. */
export const ROOM = 1.5

export interface AccountsOptions extends LedgerSettings {
  /** Longest time a charge waits before it is on its way to the disk, in milliseconds. Default FLUSH_MS_DEFAULT. */
  flushMs?: number
  /** Called once when a write or sync has failed; `healthy` is already false. The caller answers 503 and exits. */
  onFatal?: (error: Error) => void
  /** Free answers (404) that an account gets in a UTC minute before `admit` refuses it. */
  freeAnswersMax?: number
}

export interface AccountsParts {
  /** What this process charges is in here. */
  ledger: Ledger
  context: CommandContext
  usage: UsageAhead
  live: LiveState
  freeAnswersMax: number
  /** As `Meter.lease`. */
  lease(wanted: Wanted, msMax: number): Promise<boolean>
  /** Nothing is charged from now on, on any thread. */
  stop(): void
  /** The last things to do when all charges are in the ledger, before it is closed. */
  leave(): Promise<void>
}

/** What waits for a lease where nothing is leased. */
async function nothingToLease(): Promise<boolean> {
  return false
}

/** @throws LedgerError naming file, offset and remedy */
export async function openAccounts(options: AccountsOptions): Promise<AccountsParts> {
  const { flushMs = FLUSH_MS_DEFAULT, clock = systemClock, threads = 0, slotsMin = SLOTS_MIN } = options
  const { freeAnswersMax = FREE_ANSWERS_PER_MINUTE_DEFAULT } = options
  let parts: AccountsParts | null = null
  const onFail = (error: Error): void => {
    // While opening, the rejection carries it.
    if (parts === null) return
    parts.stop()
    parts.context.flusher.stop()
    options.onFatal?.(error)
  }
  const onStall = (isStalled: boolean): void => {
    if (parts?.context.open) parts.live.header[HEALTH] = isStalled ? STALLED : HEALTHY
  }
  const constants = { slotsMin, priceMicros: QUERY_PRICE_MICROS }
  const ledger = await Ledger.open({ ...options, ...constants, onFail, onStall })
  const live = LiveState.for(Math.max(slotsMin, ledger.book.slots.length * ROOM))
  live.header[NEXT_ROW] = ledger.meter.made.rowsUsed
  const store = new LedgerStore(ledger)
  const registry = new Registry(store, ledger.meter, live)
  const collector = new Collector(ledger, live)
  const listeners = new Listeners()
  const events = { onWake: () => flusher.wake(), onDead: onFail, lease: nothingToLease }
  const attached = new AttachedThreads(ledger, live, threads, events)
  const common = { registry, listeners, threads: attached }
  const flusher = new Flusher({ ...common, ledger, collector, live }, flushMs, clock)
  const context = new CommandContext({ ...common, ledger: store, flusher })
  const stop = (): void => {
    live.header[HEALTH] = STOPPED
    context.open = false
  }
  const leave = async () => {}
  parts = { ledger, context, usage: collector, live, freeAnswersMax, lease: nothingToLease, stop, leave }
  return parts
}

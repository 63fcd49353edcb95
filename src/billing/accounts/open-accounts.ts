import { FLUSH_MS_DEFAULT } from '../../platform/limits.ts'
import { systemClock } from '../ledger/clock.ts'
import { Ledger, type LedgerSettings } from '../ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import { ledgerStore } from './account-store.ts'
import type { RequestLease } from './charging/charging.ts'
import { Flusher } from './charging/flusher.ts'
import { CommandContext, type UsageClass } from './commands/command-context.ts'
import { Listeners } from './deeds.ts'
import { LiveState } from './live/live-state.ts'
import { meteredUsage, type UsageAhead } from './metered-usage.ts'
import { ownBalances, Registry } from './registry.ts'

export interface AccountsOptions extends LedgerSettings {
  /** Kinds of charged requests, by number. */
  usageClasses: readonly UsageClass[]
  /** Milliseconds between flushes. Default FLUSH_MS_DEFAULT. */
  flushMs?: number
  /** Called once after a failed write or sync. `healthy` is already false. The caller exits. */
  onFatal?: (error: Error) => void
}

export interface AccountsParts {
  ledger: Ledger
  context: CommandContext
  usage: UsageAhead
  live: LiveState
  lease?: RequestLease
  /** Called when all charges are in the ledger, before it is closed. */
  leave?(): Promise<void>
}

export async function openAccounts(options: AccountsOptions): Promise<AccountsParts> {
  const {
    flushMs = FLUSH_MS_DEFAULT,
    clock = systemClock,
    accountsMax,
    keysMax,
    usageClasses,
    onFatal,
  } = options
  let parts: AccountsParts | null = null
  // During opening, the rejection reports a failure.
  const onFail = (error: Error): void => parts?.context.fail(error)
  const onStall = (isStalled: boolean): void => parts?.live.setStalled(isStalled)
  const ledger = await Ledger.open({ ...options, priceMicros: QUERY_PRICE_MICROS, onFail, onStall })
  const { meter } = ledger
  const live = LiveState.for(meter.slotsMax)
  const usage = meteredUsage(ledger, live)
  const registry = new Registry(ledger, live, ownBalances(live, ledger.timeline, usage))
  const listeners = new Listeners<string[]>()
  const flusher = new Flusher({ ledger, registry, usage, listeners, live }, flushMs, clock)
  const store = ledgerStore(ledger, registry, flusher)
  const room = { meter, accountsMax, keysMax, usageClasses }
  const context = new CommandContext({ ledger: store, registry, listeners, flusher, live, ...room, onFatal })
  parts = { ledger, context, usage, live }
  return parts
}

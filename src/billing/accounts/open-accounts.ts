import { FLUSH_MS_DEFAULT } from '../../platform/limits.ts'
import { systemClock } from '../ledger/clock.ts'
import { Ledger, type LedgerSettings } from '../ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import type { AccountStore } from './account-store.ts'
import { Flusher } from './charging/flusher.ts'
import { CommandContext, type UsageClass } from './commands/command-context.ts'
import { Listeners } from './deeds.ts'
import { LedgerStore } from './ledger-store.ts'
import { LiveState } from './live/live-state.ts'

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
  store: AccountStore
  live: LiveState
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
  const store = new LedgerStore(ledger, live)
  const listeners = new Listeners<string[]>()
  const flusher = new Flusher({ ledger, store, listeners, live }, flushMs, clock)
  const room = { meter, accountsMax, keysMax, usageClasses }
  const context = new CommandContext({ store, listeners, flusher, live, ...room, onFatal })
  parts = { ledger, context, store, live }
  return parts
}

import { Ledger } from '../ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import { type AccountsOptions, CommandContext } from './commands/command-context.ts'
import { LedgerStore } from './ledger-store.ts'
import { LiveState } from './live/live-state.ts'

/** Opens the ledger of a single node, and makes the live state from it. @throws LedgerError */
export async function openContext(options: AccountsOptions): Promise<CommandContext> {
  let context: CommandContext | null = null
  // During opening, the rejection reports a failure.
  const onFail = (error: Error): void => context?.fail(error)
  const onStall = (isStalled: boolean): void => context?.live.setStalled(isStalled)
  const ledger = await Ledger.open({ ...options, priceMicros: QUERY_PRICE_MICROS, onFail, onStall })
  const live = LiveState.for(ledger.meter.slotsMax)
  context = new CommandContext(ledger, new LedgerStore(ledger, live), live, options)
  return context
}

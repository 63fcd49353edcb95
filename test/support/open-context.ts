import {
  type AccountsOptions,
  type CommandContext,
  commandContext,
} from '../../src/billing/accounts/commands/run-command.ts'
import { ledgerStore } from '../../src/billing/accounts/ledger-store.ts'
import { LiveState } from '../../src/billing/accounts/live/live-state.ts'
import { openLedger } from '../../src/billing/ledger/ledger.ts'

/** Opens accounts as `openAccounts` does, with their parts, for `accountsOf`. */
export async function openContext(options: AccountsOptions): Promise<CommandContext> {
  const ledger = await openLedger(options)
  const live = LiveState.for(ledger.meter.slotsMax)
  return commandContext(ledger, ledgerStore(ledger, live), live, options)
}

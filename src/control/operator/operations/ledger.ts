/** Operations on the ledger as a whole. */
import { operation } from './operation.ts'

/** Makes everything so far durable, and says up to where: a copy of the ledger's files then holds at least that. */
export const ledgerSettle = operation(
  [],
  () => ({}),
  async accounts => ({ sequence: await accounts.makeDurable() }),
)

/** The operator's commands by name: one table, served over the socket and run directly by the CLI. */
import type { Accounts } from '../../accounts/accounts.ts'
import {
  accountCreate,
  accountCredit,
  accountLimits,
  accountList,
  accountStatement,
  accountThreshold,
} from './operations/account.ts'
import { keyCap, keyCreate, keyList, keyRename, keyRevoke } from './operations/key.ts'
import { ledgerSettle } from './operations/ledger.ts'
import type { Operation } from './operations/operation.ts'
import { OperatorError } from './operator-error.ts'
import { asOperatorError } from './operator-refusal.ts'

export const OPERATIONS = {
  'account.create': accountCreate,
  'account.list': accountList,
  'account.credit': accountCredit,
  'account.limits': accountLimits,
  'account.threshold': accountThreshold,
  'account.statement': accountStatement,
  'key.create': keyCreate,
  'key.list': keyList,
  'key.rename': keyRename,
  'key.revoke': keyRevoke,
  'key.cap': keyCap,
  'ledger.settle': ledgerSettle,
} as const

export type OperationName = keyof typeof OPERATIONS
/** What an operation resolves with, and what arrives after a trip through JSON: results hold plain values only. */
export type ResultOf<Name extends OperationName> = Awaited<ReturnType<(typeof OPERATIONS)[Name]['run']>>

/** A runner of operations on `accounts`. It checks name and parameters and @throws OperatorError only. */
export function executeOn(accounts: Accounts): (name: string, params: unknown) => Promise<unknown> {
  return async (name, json) => {
    if (!Object.hasOwn(OPERATIONS, name)) throw new OperatorError('not_found', `unknown operation '${name}'`)
    // The table pairs each parser with its step; across the union of all of them the compiler cannot see that.
    const operation = OPERATIONS[name as OperationName] as Operation
    try {
      return await operation.run(accounts, operation.parse(json))
    } catch (error) {
      throw asOperatorError(error)
    }
  }
}

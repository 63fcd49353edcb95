/** The operator's commands by name: one table, served over the socket and run directly by the CLI. */
import type { Accounts } from '../../accounts/accounts.ts'
import { type Actor, actingAs } from '../../accounts/actor.ts'
import {
  accountClose,
  accountCreate,
  accountCredit,
  accountLimits,
  accountList,
  accountResume,
  accountSearch,
  accountStatement,
  accountSuspend,
  accountThreshold,
} from './operations/account.ts'
import {
  keyCap,
  keyCreate,
  keyEndOverlap,
  keyList,
  keyRename,
  keyRevoke,
  keyRoll,
  keyRules,
} from './operations/key.ts'
import { ledgerSettle } from './operations/ledger.ts'
import { memberAdd, memberList, memberRemove } from './operations/member.ts'
import type { Operation } from './operations/operation.ts'
import { OperatorError } from './operator-error.ts'
import { asOperatorError } from './operator-refusal.ts'

export const OPERATIONS = {
  'account.create': accountCreate,
  'account.list': accountList,
  'account.search': accountSearch,
  'account.credit': accountCredit,
  'account.limits': accountLimits,
  'account.threshold': accountThreshold,
  'account.statement': accountStatement,
  'account.suspend': accountSuspend,
  'account.resume': accountResume,
  'account.close': accountClose,
  'member.list': memberList,
  'member.add': memberAdd,
  'member.remove': memberRemove,
  'key.create': keyCreate,
  'key.list': keyList,
  'key.rename': keyRename,
  'key.revoke': keyRevoke,
  'key.cap': keyCap,
  'key.rules': keyRules,
  'key.roll': keyRoll,
  'key.endOverlap': keyEndOverlap,
  'ledger.settle': ledgerSettle,
} as const

export type OperationName = keyof typeof OPERATIONS
/** What an operation resolves with, and what arrives after a trip through JSON: results hold plain values only. */
export type ResultOf<Name extends OperationName> = Awaited<ReturnType<(typeof OPERATIONS)[Name]['run']>>

/** Who gives commands over the socket: whoever is the server's own user. */
export const SOCKET: Actor = { kind: 'operator', name: 'operator socket', from: '' }
/** Who gives them while no server runs. */
export const COMMAND_LINE: Actor = { kind: 'operator', name: 'command line', from: '' }

/** A runner of operations on `accounts` by `actor`. It checks name and parameters and @throws OperatorError only. */
export function executeOn(
  accounts: Accounts,
  actor: Actor,
): (name: string, params: unknown) => Promise<unknown> {
  return async (name, json) => {
    if (!Object.hasOwn(OPERATIONS, name)) throw new OperatorError('not_found', `unknown operation '${name}'`)
    // The table pairs each parser with its step; across the union of all of them the compiler cannot see that.
    const operation = OPERATIONS[name as OperationName] as Operation
    try {
      const params = operation.parse(json)
      return await actingAs(actor, async () => operation.run(accounts, params))
    } catch (error) {
      throw asOperatorError(error)
    }
  }
}

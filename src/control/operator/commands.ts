/** The table of commands on accounts. The socket serves it, the command line runs it, the console and docs/commands.md show it. */
import type { Accounts } from '../../accounts/accounts.ts'
import { type Actor, actingAs } from '../../accounts/actor.ts'
import { type Command, command } from './command.ts'
import { ACCOUNT_COMMANDS, MEMBER_COMMANDS } from './operator-account-commands.ts'
import { asOperatorError, OperatorError } from './operator-error.ts'
import { KEY_COMMANDS } from './operator-key-commands.ts'
import { parsed } from './params.ts'

/** A copy of the ledger's files holds at least what was settled before. */
const settle = command({
  name: 'ledger.settle',
  summary: 'make everything so far durable, and say up to where',
  params: {},
  run: async accounts => ({ sequence: await accounts.makeDurable() }),
})

export const COMMANDS = [...ACCOUNT_COMMANDS, ...MEMBER_COMMANDS, ...KEY_COMMANDS, settle] as const

export type CommandName = (typeof COMMANDS)[number]['name']
type Named<Name extends CommandName> = Extract<(typeof COMMANDS)[number], { name: Name }>
export type ResultOf<Name extends CommandName> = Awaited<ReturnType<Named<Name>['run']>>

export const SOCKET: Actor = { kind: 'operator', name: 'operator socket', from: '' }
export const COMMAND_LINE: Actor = { kind: 'operator', name: 'command line', from: '' }

/** Returns a runner of commands on `accounts` by `actor`. It checks name and parameters, and @throws OperatorError only. */
export function executeOn(
  accounts: Accounts,
  actor: Actor,
): (name: string, params: unknown) => Promise<unknown> {
  return async (name, json) => {
    const found = COMMANDS.find(command => command.name === name)
    if (found === undefined) throw new OperatorError('not_found', `unknown operation '${name}'`)
    // The table pairs each shape with its step; across the union of all of them the compiler cannot see that.
    const { params, run } = found as Command
    try {
      const values = parsed(params, json)
      await accounts.catchUp()
      return await actingAs(actor, async () => run(accounts, values))
    } catch (error) {
      throw asOperatorError(error)
    }
  }
}

/** The table of all commands, and their execution. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { type Actor, actingAs } from '../../billing/accounts/actor.ts'
import { DEMO_EMAIL } from '../../billing/demo-account.ts'
import { provedEmail } from '../session/proved-email.ts'
import { iso } from '../words.ts'
import { command, type OperatorCommand, running, type Service } from './command.ts'
import { ACCOUNT_COMMANDS } from './operator-account-commands.ts'
import { asOperatorError, OperatorError } from './operator-error.ts'
import { KEY_COMMANDS } from './operator-key-commands.ts'
import { optionalText, parseParams } from './params.ts'

const flush = command({
  name: 'ledger.flush',
  summary: 'make everything so far durable, and print the sequence number',
  params: {},
  run: async accounts => ({ sequence: await accounts.makeDurable() }),
})

const token = command({
  name: 'token',
  summary: 'print an address that signs in once, within ten minutes, on this machine',
  example: 'postrie token --email ada@example.com',
  params: {
    email: optionalText({ placeholder: '<address>', description: `the person (default: ${DEMO_EMAIL})` }),
  },
  run(_, { email }, service) {
    const address = provedEmail({ email: email || DEMO_EMAIL, emailVerified: true })
    if (address === null) throw new OperatorError('invalid', `email must be an email address, not '${email}'`)
    const { address: url, endMs } = running(service).createToken(address)
    return { email: address, address: url, endsAt: iso(endMs) }
  },
})

export const COMMANDS = [...ACCOUNT_COMMANDS, ...KEY_COMMANDS, token, flush] as const

export type CommandName = (typeof COMMANDS)[number]['name']
type Named<Name extends CommandName> = Extract<(typeof COMMANDS)[number], { name: Name }>
export type ResultOf<Name extends CommandName> = Awaited<ReturnType<Named<Name>['run']>>

export const COMMAND_LINE: Actor = { kind: 'operator', name: 'command line', from: '' }

/** Returns a function that checks and runs commands as `actor`. It throws only OperatorError. */
export function executeOn(accounts: Accounts, actor: Actor, service: Service | null = null) {
  return async (name: string, json: unknown): Promise<unknown> => {
    const found = COMMANDS.find(command => command.name === name)
    if (found === undefined) throw new OperatorError('not_found', `unknown command '${name}'`)
    // The compiler cannot see in a union that each command runs with its own parameters.
    const { params, positional, run } = found as OperatorCommand
    try {
      const values = parseParams(params, positional, json)
      await accounts.catchUp()
      return await actingAs(actor, async () => run(accounts, values, service))
    } catch (error) {
      throw asOperatorError(error)
    }
  }
}

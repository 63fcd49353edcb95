/** What an operator's command is: parameters that are checked first, then one step on the accounts. */
import type { Accounts } from '../../../accounts/accounts.ts'
import type { AccountView, KeyView } from '../../../accounts/views.ts'
import { DEMO_EMAIL } from '../../../first-start.ts'
import { OperatorError } from '../operator-error.ts'
import { Params } from '../params.ts'

export interface Operation<P = unknown, R = unknown> {
  /** @throws OperatorError `invalid` */
  parse(json: unknown): P
  /** Resolves, once the effect is durable, with what the command prints. */
  run(accounts: Accounts, params: P): R | Promise<R>
}

/** Ties a parser to the step that takes what it returns, so that the table can forget the type in between. */
export function operation<P, R>(
  known: readonly string[],
  parse: (params: Params) => P,
  run: (accounts: Accounts, params: P) => R | Promise<R>,
): Operation<P, R> {
  return { parse: json => parse(new Params(json, known)), run }
}

/** The account that an operator means: an id, an email, or the short name of the demo account. */
export function findAccount(accounts: Accounts, name: string): AccountView {
  const found = accounts.account(name) ?? (name === DEMO_NAME ? accounts.account(DEMO_EMAIL) : undefined)
  if (found === undefined) throw new OperatorError('not_found', `no account has the id or email '${name}'`)
  return found
}

const DEMO_NAME = DEMO_EMAIL.slice(0, DEMO_EMAIL.indexOf('@'))

/** A key by its public id. */
export function findKey(accounts: Accounts, id: string): KeyView {
  const found = accounts.key(id)
  if (found === undefined) {
    throw new OperatorError(
      'not_found',
      `no key has the id '${id}'; 'postrie key list <account>' shows the ids`,
    )
  }
  return found
}

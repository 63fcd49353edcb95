/** Commands on accounts. Socket, command line, operator's pages and docs/commands.md derive from them. */

import * as z from 'zod'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { expectNotClosed } from '../../billing/accounts/commands/change-account.ts'
import { withoutSecret } from '../../billing/accounts/secret.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { perWindow } from '../../billing/accounts/windows.ts'
import { accountName } from '../../billing/demo-account.ts'
import type { RateLimits } from '../../billing/ledger/event.ts'
import type { Planes } from '../control-plane-parts.ts'
import { OperatorError } from './operator-error.ts'
import type { ParamSyntax } from './params.ts'

export interface Service extends Planes {
  /** Returns the address with a token for this person. @throws OperatorError without sign-in by token */
  createToken(email: string): { address: string; endMs: number }
}

type Params = Readonly<Record<string, z.ZodType>>
type Read<Shape extends Params> = z.output<z.ZodObject<Shape>>

export interface OperatorCommand<
  Name extends string = string,
  Shape extends Params = Params,
  Result = unknown,
> {
  readonly name: Name
  readonly summary: string
  readonly example?: string
  /** Arguments: parameters without a placeholder in `<>` that are no flags. All others are options. */
  readonly positional: readonly string[]
  readonly params: z.ZodObject<Shape>
  readonly columns?: readonly string[]
  /** Returns a sentence to print below a result; `''` for none. */
  note?(result: Awaited<Result>): string
  /** Returns what would be owed or lost; `''` for nothing. Otherwise the command needs `confirm`. */
  stake?(accounts: Accounts, params: Read<Shape>): string
  /** Resolves when the effect is durable, with the values of `--json`. @param service null if none runs */
  run(accounts: Accounts, params: Read<Shape>, service: Service | null): Result | Promise<Result>
}

const CONFIRM_TEXT = 'do it although money would be owed or lost, or came through Stripe'
const CONFIRM = z.boolean().optional().meta({ placeholder: '', description: CONFIRM_TEXT })

/** Completes a command. Only here the compiler knows the types of its parameters, not in the table. */
export function command<const Name extends string, Shape extends Params, Result>(
  given: Omit<OperatorCommand<Name, Shape, Result>, 'params' | 'positional'> & { params: Shape },
): OperatorCommand<Name, Shape, Result> {
  const placeholderOf = (param: string) => (given.params[param].meta() as ParamSyntax)?.placeholder ?? param
  const positional = Object.keys(given.params).filter(param => /^[^<]/.test(placeholderOf(param)))
  const { stake } = given
  const params = z.strictObject({ ...given.params, ...(stake && { confirm: CONFIRM }) })
  const run: typeof given.run = (accounts, values, service) => {
    const lost = stake?.(accounts, values)
    if (lost && Object(values).confirm !== true)
      throw new OperatorError('refused', `${lost} Nothing was changed: add --confirm if you mean it.`)
    return given.run(accounts, values, service)
  }
  return { ...given, positional, params: params as unknown as z.ZodObject<Shape>, run }
}

/** Returns the note of a command that found its effect done before. */
export const noteOfState = ({ applied, state }: { applied: boolean; state: string }): string =>
  applied ? '' : `It was already ${state}: nothing was changed.`

export function findAccount(accounts: Accounts, name: string): AccountView {
  const found = accounts.account(accountName(name))
  if (found === undefined) throw new OperatorError('not_found', `no account has the id or email '${name}'`)
  return found
}

/** Finds an account that is not closed: a closed one gets no money back. */
export function findOpenAccount(accounts: Accounts, name: string): AccountView {
  const account = findAccount(accounts, name)
  expectNotClosed(account)
  return account
}

/** Finds a key by its id, or by a secret or its start. @param mayBeReplaced true for a replaced secret, too */
export function findKey(accounts: Accounts, text: string, mayBeReplaced = false): KeyView {
  const name = withoutSecret(text)
  const [found, other] = [accounts.key(name) ?? accounts.keysWithStart(name)].flat()
  if (found && !other && !mayBeReplaced && ![found.id, found.start].includes(name))
    throw new OperatorError(
      'refused',
      `${name} begins a replaced secret of the key ${found.id}. See 'postrie key show ${found.id}', and use its id`,
    )
  if (found === undefined || other !== undefined)
    throw new OperatorError(
      'not_found',
      `no key has the id '${name}', and no single one has this start: list the ids with 'postrie key list <account>'`,
    )
  return found
}

/** Returns the running service. @throws OperatorError `unavailable` without a server */
export function running(service: Service | null): Service {
  if (service !== null) return service
  throw new OperatorError('unavailable', 'no server runs in DATA_DIR: start it with `postrie serve`')
}

type Windows = { readonly [window in keyof RateLimits]?: number | null | undefined }

/** Replaces rate limits: undefined keeps one, null removes it. Returns null if none is left. */
export function mergeLimits(limits: RateLimits | null, windows: Windows): RateLimits | null {
  const next = perWindow(({ limit }) =>
    windows[limit] === undefined ? (limits?.[limit] ?? null) : windows[limit],
  )
  // Removing the last limit switches rate limiting off.
  return Object.values(next).every(value => value === null) ? null : next
}

export const isNamed = (values: object): boolean => Object.values(values).some(value => value !== undefined)

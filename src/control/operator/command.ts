/** One command on accounts. The socket, the command line, the console and docs/commands.md derive from it. */
import { z } from 'zod'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Deed } from '../../accounts/deeds.ts'
import type { AccountView, KeyView, RateLimits, Role } from '../../accounts/views.ts'
import { DEMO_EMAIL } from '../../demo-account.ts'
import { OperatorError } from './operator-error.ts'

type Params = Readonly<Record<string, z.ZodType>>

export interface Command<Name extends string = string, Shape extends Params = Params, Result = unknown> {
  readonly name: Name
  readonly summary: string
  readonly example?: string
  /** Parameters without an option of their own on the command line, in their order. */
  readonly positional: readonly (keyof Shape & string)[]
  readonly params: z.ZodObject<Shape>
  /** Roles whose members may do the same to their own account on the dashboard. Operators may run every command. */
  readonly permission: readonly Role[]
  /** Entries of the audit log. The log takes them from the changes themselves, whoever made them. */
  readonly audit: readonly Deed['what'][]
  readonly columns?: readonly string[]
  /** Says in words what the fields of a result do not; `''`: nothing. */
  note?(result: Awaited<Result>): string
  /** Resolves, once the effect is durable, with the plain values that `--json` prints. */
  run(accounts: Accounts, params: z.output<z.ZodObject<Shape>>): Result | Promise<Result>
}

/** Ties parameters to the step that takes them, so that a table of commands can forget their types. */
export function command<const Name extends string, Shape extends Params, Result>(
  given: Omit<Command<Name, Shape, Result>, 'params' | 'positional' | 'audit' | 'permission'> &
    Partial<Pick<Command<Name, Shape>, 'positional' | 'audit' | 'permission'>> & { params: Shape },
): Command<Name, Shape, Result> {
  return { positional: [], audit: [], permission: [], ...given, params: z.strictObject(given.params) }
}

const DEMO_NAME = DEMO_EMAIL.slice(0, DEMO_EMAIL.indexOf('@'))

export function findAccount(accounts: Accounts, name: string): AccountView {
  const found = accounts.account(name) ?? (name === DEMO_NAME ? accounts.account(DEMO_EMAIL) : undefined)
  if (found === undefined) throw new OperatorError('not_found', `no account has the id or email '${name}'`)
  return found
}

export function findKey(accounts: Accounts, id: string): KeyView {
  const found = accounts.key(id)
  if (found === undefined)
    throw new OperatorError(
      'not_found',
      `no key has the id '${id}'; 'postrie key list <account>' shows the ids`,
    )
  return found
}

type Windows = { readonly [window in keyof RateLimits]?: number | null | undefined }

/** Rate limits with some windows replaced: undefined keeps one, null lifts it. Null when none is left. */
export function mergedLimits(limits: RateLimits | null, windows: Windows): RateLimits | null {
  const keep = (window: keyof RateLimits) =>
    windows[window] === undefined ? (limits?.[window] ?? null) : windows[window]
  const next = { perMinute: keep('perMinute'), perHour: keep('perHour'), perDay: keep('perDay') }
  // Lifting the last limit is what an operator means by switching limits off.
  return Object.values(next).every(value => value === null) ? null : next
}

export function expectAlone(off: boolean, values: object, what: string): void {
  if (off && isNamed(values)) throw new OperatorError('invalid', `off and ${what} exclude each other`)
}

export function isNamed(values: object): boolean {
  return Object.values(values).some(value => value !== undefined)
}

export function iso(ms: number): string
export function iso(ms: number | null): string | null
export function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

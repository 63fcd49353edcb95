/**
 * Parameters of commands and fields of forms. One description serves JSON over the socket, the help and the texts of the command line,
 * and the fields of a page.
 */
import * as z from 'zod'
import type { AccountErrorCode } from '../../billing/accounts/account-error.ts'
import { CREDIT_MAX_MICROS } from '../../billing/limits.ts'
import { parseDollars } from '../../billing/money.ts'
import { money } from '../words.ts'
import { OperatorError } from './operator-error.ts'

/** Command line and form of a parameter. */
export interface ParamSyntax {
  description?: string
  /** Value of an option, such as `<text>`; `''` for a flag. A text without `<>` names an argument. */
  placeholder?: string
  option?: string
  choices?: readonly string[]
  preset?: string | number
  canBeNull?: boolean
  /** Returns the JSON value of a text. @throws Error with the expected form */
  fromText?(text: string): unknown
  /** Kind of a form's field. Default: text. */
  kind?: 'dollars' | 'number' | 'moment' | 'list'
  label?: string
  hint?: string
  /** Text in an empty field. */
  empty?: string
  /** Sentence beside a wrong field. Default: that of the check. */
  problem?: string
  lengthMax?: number
  /** True for a field of several lines. */
  isLong?: true
  inputmode?: 'url' | 'email' | 'decimal'
  /** Texts of the values to choose from. A list has a tick box for each. */
  options?: Readonly<Record<string, string>>
  /** Codes of refusals that the form shows at this field. */
  refusals?: readonly AccountErrorCode[]
}

/** A date, or a date and a time with its zone. Without a zone, it would depend on the machine. */
export const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

export function text(syntax: ParamSyntax = {}, lengthMin = 1) {
  return z
    .string({ error: ({ input }) => (input == null ? 'must not be empty' : 'must be text') })
    .trim()
    .min(lengthMin, 'must not be empty')
    .meta({ ...syntax })
}

export function optionalText(syntax: ParamSyntax) {
  return z
    .string('must be text')
    .nullish()
    .transform(value => (value ?? '').trim())
    .meta({ ...syntax })
}

/** Describes a whole number. Null removes the value, undefined keeps it. */
export function integer(min: number, max: number, syntax: ParamSyntax) {
  const isValid = (value: unknown) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max
  return z
    .custom<number>(isValid, {
      error: ({ input }) => `must be a whole number from ${min} to ${max}, not ${JSON.stringify(input)}`,
    })
    .nullish()
    .meta({ kind: 'number', placeholder: '<n>', fromText: parseWholeNumber, ...syntax })
}

/** Describes a time in ISO 8601 with its zone, read as milliseconds since 1970. Null removes the value, undefined keeps it. */
export function moment(syntax: ParamSyntax) {
  const isValid = (value: unknown) =>
    typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value))
  return z
    .custom<string>(isValid, {
      error: ({ input }) =>
        `must be a time such as 2026-12-31T23:59:00Z, or a date, not ${JSON.stringify(input)}`,
    })
    .nullish()
    .transform(value => (value == null ? value : Date.parse(value)))
    .meta({ kind: 'moment', canBeNull: true, ...syntax })
}

/** Maximum number of wrong items in a message. */
const WRONG_NAMED_MAX = 10

/** Describes texts. The command bounds their number. Null removes the value, undefined keeps it. @param noun of an item */
export function list(syntax: ParamSyntax, noun = '', isItem = (_: string) => true) {
  return z
    .array(z.string('must be a list of texts'), 'must be a list of texts')
    .refine(items => items.every(isItem), {
      error: ({ input }) => {
        const wrong = (input as string[]).filter(item => !isItem(item))
        const named = wrong.slice(0, WRONG_NAMED_MAX).map(item => JSON.stringify(item.slice(0, 64)))
        return `${named.join(', ')} ${wrong.length > 1 ? 'are' : 'is'} not ${noun}.`
      },
    })
    .nullish()
    .meta({
      kind: 'list',
      canBeNull: true,
      fromText: (text: string) => text.split(',').map(item => item.trim()),
      ...syntax,
    })
}

export function choice<const T extends string>(allowed: readonly T[], preset: T, syntax: ParamSyntax) {
  return oneOf(allowed, syntax)
    .nullish()
    .transform(value => value ?? preset)
    .meta({ choices: allowed, preset, ...syntax })
}

/** Returns a `choice` without a default. */
export function oneOf<const T extends string>(allowed: readonly T[], syntax: ParamSyntax) {
  const error = ({ input }: { input?: unknown }) =>
    `must be one of ${allowed.join(', ')}${input === undefined ? '' : `, not ${JSON.stringify(input)}`}`
  return z.custom<T>(value => allowed.includes(value as T), { error }).meta({ choices: allowed, ...syntax })
}

const DOLLARS_PROBLEM = `Enter an amount such as 25.00, at most ${money(CREDIT_MAX_MICROS)}.`

/** Describes an amount as decimal text (`5`, `12.50`), read as micro-dollars. Text avoids rounding. @param step 10_000 for whole cents */
export function dollarAmount(
  syntax: ParamSyntax = {},
  { min = 1, max = CREDIT_MAX_MICROS, step = 1 }: { min?: number; max?: number; step?: number } = {},
) {
  return z
    .unknown()
    .transform((value, context) => {
      const micros = typeof value === 'string' ? parseDollars(value.trim()) : null
      if (micros !== null && micros >= min && micros <= max && micros % step === 0) return micros
      const range = `from ${min / 1_000_000} to ${max / 1_000_000}`
      context.addIssue(`must be dollars ${range} with at most six decimals, not ${JSON.stringify(value)}`)
      return z.NEVER
    })
    .meta({ kind: 'dollars', label: 'US dollars', problem: DOLLARS_PROBLEM, ...syntax } satisfies ParamSyntax)
}

/** Describes an amount, or none. @param noun of the amount, such as `cap` */
export function optionalDollars(noun: string, refusal: AccountErrorCode) {
  return dollarAmount({}, { min: 0 })
    .optional()
    .meta({
      kind: 'dollars',
      label: `US dollars, empty for no ${noun}`,
      empty: 'none',
      problem: `This must be an amount in dollars, such as 5.00, or empty for no ${noun}.`,
      refusals: [refusal],
    } satisfies ParamSyntax)
}

export function flag(syntax: ParamSyntax) {
  return z
    .boolean('must be true or false')
    .optional()
    .transform(Boolean)
    .meta({ placeholder: '', ...syntax })
}

/** Parses the parameters of a command. @throws OperatorError `invalid` for the first wrong one */
export function parseParams<Shape extends z.ZodObject>(shape: Shape, json: unknown): z.output<Shape> {
  const result = shape.safeParse(json)
  if (result.success) return result.data
  const { issues } = result.error
  // Ignoring a misspelt parameter could leave a limit unset.
  const misspelt = issues.find(issue => issue.code === 'unrecognized_keys')
  if (misspelt !== undefined) {
    const known = Object.keys(shape.shape).join(', ') || 'none'
    throw new OperatorError('invalid', `unknown parameter '${misspelt.keys[0]}': use ${known}`)
  }
  const [{ path, message }] = issues
  if (path.length === 0) throw new OperatorError('invalid', 'parameters must be a JSON object')
  throw new OperatorError('invalid', `${String(path[0])} ${message}`)
}

function parseWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error('It must be a whole number.')
  return Number(text)
}

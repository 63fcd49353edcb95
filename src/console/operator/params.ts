/** Parameters of commands, which are also fields of forms. Each reads JSON, and text as people type it. */
import * as z from 'zod'
import type { AccountErrorCode } from '../../billing/accounts/account-error.ts'
import { CREDIT_MAX_MICROS } from '../../billing/limits.ts'
import { money, typedDollars } from '../words.ts'
import { OperatorError } from './operator-error.ts'

/** Command line and form of a parameter. */
export interface ParamSyntax {
  description?: string
  /** Value of an option, such as `<text>`; `''` for a flag. A text without `<>` names an argument. */
  placeholder?: string
  choices?: readonly string[]
  preset?: string | number
  canBeNull?: boolean
  /** Kind of a form's field. Default: text. */
  kind?: 'dollars' | 'number' | 'moment' | 'list'
  label?: string
  hint?: string
  /** Text in an empty field. */
  empty?: string
  /** Sentence beside a wrong field. Default: that of the check. */
  problem?: string
  lengthMax?: number
  isLong?: true
  isSecret?: true
  inputmode?: 'url' | 'email' | 'decimal'
  /** Texts of the values to choose from. A list has a tick box for each. */
  options?: Readonly<Record<string, string>>
  /** Value that a form proposes. Default: the first of the options. */
  usual?: string
  /** Codes of refusals that the form shows at this field. */
  refusals?: readonly AccountErrorCode[]
}

/** Words that remove a value. `key show` prints some of them where nothing is set. */
const UNSET = ['none', 'off', 'never', 'all']

/** Reads typed text. A word of `UNSET` removes a value. @param read returns the JSON value of any other text */
export function typed<T extends z.ZodType>(read: (text: string) => unknown, schema: T) {
  return z.preprocess(value => {
    if (typeof value !== 'string') return value
    const text = value.trim()
    return UNSET.includes(text) ? null : read(text)
  }, schema)
}

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

/** Describes a whole number: `1,000` is 1000. Null removes the value, undefined keeps it. */
export function integer(min: number, max: number, syntax: ParamSyntax) {
  const error = ({ input }: { input?: unknown }) =>
    `must be a whole number from ${min} to ${max}, not ${JSON.stringify(input)}`
  const read = (text: string) =>
    /^(\d{1,15}|\d{1,3}(,\d{3})+)$/.test(text) ? Number(text.replaceAll(',', '')) : text
  return typed(read, z.int({ error }).min(min, { error }).max(max, { error }).nullish()).meta({
    kind: 'number',
    placeholder: '<n>',
    ...syntax,
  })
}

/** Describes a time in ISO 8601, in UTC by default, read as milliseconds since 1970. Null removes it. */
export function moment(syntax: ParamSyntax) {
  const isoTime = z.union(
    [z.iso.date(), z.iso.datetime({ offset: true, precision: -1 }), z.iso.datetime({ offset: true })],
    {
      error: ({ input }) =>
        `must be a time such as 2026-12-31T23:59:00Z, or a date, not ${JSON.stringify(input)}`,
    },
  )
  const read = (text: string) => text.replace(/^(\S{10})[T ]([\d:.]+)(?: UTC|Z)?$/, '$1T$2Z')
  return typed(read, isoTime.transform(Date.parse).nullish()).meta({
    kind: 'moment',
    canBeNull: true,
    ...syntax,
  })
}

const WRONG_NAMED_MAX = 10

/** Describes typed texts. The command bounds their number. Null removes them. @param noun of an item */
export function list(syntax: ParamSyntax, noun = '', isItem = (_: string) => true) {
  const items = z
    .array(z.string('must be a list of texts'), 'must be a list of texts')
    .refine(items => items.every(isItem), {
      error: ({ input }) => {
        const wrong = (input as string[]).filter(item => !isItem(item))
        const named = wrong.slice(0, WRONG_NAMED_MAX).map(item => JSON.stringify(item.slice(0, 64)))
        return `${named.join(', ')} must ${wrong.length > 1 ? 'each ' : ''}be ${noun}.`
      },
    })
  return typed(text => text.match(/[^\s,]+/g) ?? [], items.nullish()).meta({
    kind: 'list',
    canBeNull: true,
    ...syntax,
  })
}

/** @param preset value of a parameter that is not given */
export function choice<const T extends string, P extends T | undefined>(
  choices: readonly T[],
  preset: P,
  syntax: ParamSyntax,
) {
  const error = ({ input }: { input?: unknown }) =>
    `must be one of ${choices.join(', ')}, not ${JSON.stringify(input)}`
  return z
    .enum(choices, { error })
    .nullish()
    .transform(value => value ?? preset)
    .meta({ choices, preset, ...syntax })
}

/** `12,50`, which is 12.5 in half of Europe. */
export const COMMA = /^[^,]*\d,\d{1,2}\b[^,]*$/
const DOLLARS_PROBLEM = `Enter an amount such as 25.00, at most ${money(CREDIT_MAX_MICROS)}.`

/** Describes an amount (`5`, `$1,012.50`), read as micro-dollars. @param step 10_000 for whole cents */
export function dollarAmount(
  syntax: ParamSyntax = {},
  { min = 1, max = CREDIT_MAX_MICROS, step = 1 }: { min?: number; max?: number; step?: number } = {},
) {
  return z
    .unknown()
    .transform((value, context) => {
      const micros = typeof value === 'string' ? typedDollars(value.trim()) : null
      if (micros !== null && micros >= min && micros <= max && micros % step === 0) return micros
      const range = `from ${min / 1_000_000} to ${max / 1_000_000}`
      context.addIssue(
        typeof value === 'string' && COMMA.test(value)
          ? `must have a point instead of the comma: ${value.replace(',', '.')}`
          : `must be dollars ${range} with at most six decimals, not ${JSON.stringify(value)}`,
      )
      return z.NEVER
    })
    .meta({ kind: 'dollars', label: 'US dollars', problem: DOLLARS_PROBLEM, ...syntax } satisfies ParamSyntax)
}

/** Describes an amount, or none, or nothing to show the present one. @param noun of the amount, such as `cap` */
export function optionalDollars(noun: string, refusal: AccountErrorCode) {
  const amount = typed(text => text, dollarAmount({}, { min: 0 }).nullable())
  return amount.optional().meta({
    description: 'dollars',
    kind: 'dollars',
    label: `US dollars, empty for no ${noun}`,
    empty: 'none',
    canBeNull: true,
    problem: `This must be an amount in dollars, such as 5.00, or empty for no ${noun}.`,
    refusals: [refusal],
  } satisfies ParamSyntax)
}

export const optionName = (param: string) =>
  `--${param.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`

/** @throws OperatorError that names the first wrong parameter as it is typed: `--per-minute` */
export function parseParams(shape: z.ZodObject, positional: readonly string[], json: unknown) {
  const nameOf = (param: string) => (positional.includes(param) ? param : optionName(param))
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
  throw new OperatorError('invalid', `${nameOf(String(path[0]))} ${message}`)
}

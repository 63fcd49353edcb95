/** Shapes of parameters: JSON over the socket, text on the command line. Each refusal says what was found and expected. */
import { z } from 'zod'
import { parseDollars } from '../../money.ts'
import { OperatorError } from './operator-error.ts'

export interface Written {
  description?: string
  placeholder?: string
  option?: string
  choices?: readonly string[]
  preset?: string | number
  lifts?: boolean
  /** Its JSON from text. @throws Error that says what is expected */
  fromText?(text: string): unknown
}

/** A date, or a date and a time with its zone: without one, it would mean another moment on another machine. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

export function text(written: Written = {}) {
  return z
    .string({ error: ({ input }) => (input == null ? 'must not be empty' : 'must be text') })
    .trim()
    .min(1, 'must not be empty')
    .meta({ ...written })
}

export function optionalText(written: Written = {}) {
  return z
    .string('must be text')
    .nullish()
    .transform(value => (value ?? '').trim())
    .meta({ ...written })
}

/** A whole number; null lifts what it sets, undefined leaves it. */
export function integer(min: number, max: number, written: Written = {}) {
  const isOne = (value: unknown) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max
  return z
    .custom<number>(isOne, {
      error: ({ input }) => `must be a whole number from ${min} to ${max}, not ${JSON.stringify(input)}`,
    })
    .nullish()
    .meta({ placeholder: '<n>', fromText: wholeNumber, ...written })
}

/** Milliseconds since 1970 of ISO 8601 text with its zone; null lifts what it sets, undefined leaves it. */
export function moment(written: Written = {}) {
  const isOne = (value: unknown) =>
    typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value))
  return z
    .custom<string>(isOne, {
      error: ({ input }) =>
        `must be a time such as 2026-12-31T23:59:00Z, or a date, not ${JSON.stringify(input)}`,
    })
    .nullish()
    .transform(value => (value == null ? value : Date.parse(value)))
    .meta({ lifts: true, ...written })
}

/** Up to `itemsMax` texts; null lifts what they set, undefined leaves it. */
export function list(itemsMax: number, written: Written = {}) {
  return z
    .array(z.string('must be a list of texts'), 'must be a list of texts')
    .max(itemsMax, {
      error: ({ input }) => `has ${(input as unknown[]).length} entries, at most ${itemsMax} are allowed`,
    })
    .nullish()
    .meta({ lifts: true, fromText: (text: string) => text.split(',').map(item => item.trim()), ...written })
}

export function choice<const T extends string>(allowed: readonly T[], preset: T, written: Written = {}) {
  return z
    .custom<T>(value => allowed.includes(value as T), {
      error: ({ input }) => `must be one of ${allowed.join(', ')}, not ${JSON.stringify(input)}`,
    })
    .nullish()
    .transform(value => value ?? preset)
    .meta({ choices: allowed, preset, ...written })
}

/** Whole micro-dollars of decimal text (`5`, `12.50`). Text, so that no fraction is rounded. */
export function dollarAmount(min: number, max: number, written: Written = {}) {
  return z
    .unknown()
    .transform((value, context) => {
      const micros = typeof value === 'string' ? parseDollars(value.trim()) : null
      if (micros !== null && micros >= min && micros <= max) return micros
      context.addIssue(amountProblem(value, min, max))
      return z.NEVER
    })
    .meta({ ...written })
}

export function amountProblem(value: unknown, min: number, max: number): string {
  const range = `from ${min / 1_000_000} to ${max / 1_000_000}`
  return `must be dollars ${range} with at most six decimals, not ${JSON.stringify(value)}`
}

export function flag(written: Written = {}) {
  return z
    .boolean('must be true or false')
    .optional()
    .transform(Boolean)
    .meta({ ...written })
}

export function parsed<Shape extends z.ZodObject>(shape: Shape, json: unknown): z.output<Shape> {
  const result = shape.safeParse(json)
  if (result.success) return result.data
  const { issues } = result.error
  // A misspelt option that is silently ignored would be a limit that nobody set.
  const misspelt = issues.find(issue => issue.code === 'unrecognized_keys')
  if (misspelt !== undefined) {
    const known = Object.keys(shape.shape).join(', ') || 'none'
    throw new OperatorError('invalid', `unknown parameter '${misspelt.keys[0]}'; known are: ${known}`)
  }
  const [{ path, message }] = issues
  if (path.length === 0) throw new OperatorError('invalid', 'parameters must be a JSON object')
  throw new OperatorError('invalid', `${String(path[0])} ${message}`)
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error('It must be a whole number.')
  return Number(text)
}

/** Typed parameters out of JSON that came from outside: one accessor per shape, each with a clear refusal. */
import { parseDollars } from '../../money.ts'
import { OperatorError } from './operator-error.ts'

/** A date, or a date and a time with its zone: without one, it would mean another moment on another machine. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

export class Params {
  readonly #fields: Readonly<Record<string, unknown>>

  /** @throws OperatorError `invalid` when `json` is not an object or has a field that is not in `known`. */
  constructor(json: unknown, known: readonly string[]) {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      throw new OperatorError('invalid', 'parameters must be a JSON object')
    }
    this.#fields = json as Record<string, unknown>
    // A misspelt option that is silently ignored would be a limit that nobody set.
    const unknown = Object.keys(json).find(name => !known.includes(name))
    if (unknown !== undefined) {
      throw new OperatorError(
        'invalid',
        `unknown parameter '${unknown}'; known are: ${known.join(', ') || 'none'}`,
      )
    }
  }

  /** Text of 1 to `lengthMax` characters without control characters. */
  text(name: string, lengthMax: number): string {
    const value = this.optionalText(name, lengthMax)
    if (value === undefined || value === '') throw new OperatorError('invalid', `${name} must not be empty`)
    return value
  }

  /** Text of up to `lengthMax` characters, trimmed; undefined when absent. */
  optionalText(name: string, lengthMax: number): string | undefined {
    const value = this.#fields[name]
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'string') throw new OperatorError('invalid', `${name} must be text`)
    const text = value.trim()
    if (text.length > lengthMax) {
      throw new OperatorError(
        'invalid',
        `${name} has ${text.length} characters, at most ${lengthMax} are allowed`,
      )
    }
    if (/\p{Cc}/u.test(text))
      throw new OperatorError('invalid', `${name} must not contain control characters`)
    return text
  }

  /** A whole number in a range; null when it is null, undefined when absent. */
  optionalInteger(name: string, min: number, max: number): number | null | undefined {
    const value = this.#fields[name]
    if (value === undefined || value === null) return value
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    throw new OperatorError(
      'invalid',
      `${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}`,
    )
  }

  /** A time as ISO 8601 text with its zone, in milliseconds since 1970; null when it is null, undefined when absent. */
  optionalTime(name: string): number | null | undefined {
    const value = this.#fields[name]
    if (value === undefined || value === null) return value
    const timeMs = typeof value === 'string' && TIME.test(value) ? Date.parse(value) : Number.NaN
    if (!Number.isNaN(timeMs)) return timeMs
    throw new OperatorError(
      'invalid',
      `${name} must be a time such as 2026-12-31T23:59:00Z, or a date, not ${JSON.stringify(value)}`,
    )
  }

  /** Up to `itemsMax` texts; null when it is null, undefined when absent. */
  optionalList(name: string, itemsMax: number): string[] | null | undefined {
    const value = this.#fields[name]
    if (value === undefined || value === null) return value
    if (!Array.isArray(value) || !value.every(item => typeof item === 'string'))
      throw new OperatorError('invalid', `${name} must be a list of texts`)
    if (value.length <= itemsMax) return value
    throw new OperatorError('invalid', `${name} has ${value.length} entries, at most ${itemsMax} are allowed`)
  }

  /** One of `allowed`; undefined when absent. */
  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.#fields[name]
    if (value === undefined || value === null) return undefined
    const known = allowed.find(candidate => candidate === value)
    if (known !== undefined) return known
    throw new OperatorError(
      'invalid',
      `${name} must be one of ${allowed.join(', ')}, not ${JSON.stringify(value)}`,
    )
  }

  /** Dollars as decimal text (`5`, `12.50`), as whole micro-dollars in a range. Text, so that no fraction is rounded. */
  micros(name: string, min: number, max: number): number {
    const value = this.#fields[name]
    const micros = typeof value === 'string' ? parseDollars(value.trim()) : null
    if (micros !== null && micros >= min && micros <= max) return micros
    const range = `from ${min / 1_000_000} to ${max / 1_000_000}`
    throw new OperatorError(
      'invalid',
      `${name} must be dollars ${range} with at most six decimals, not ${JSON.stringify(value)}`,
    )
  }

  /** True when the field is present and true. */
  flag(name: string): boolean {
    const value = this.#fields[name]
    if (value === undefined || value === false) return false
    if (value === true) return true
    throw new OperatorError('invalid', `${name} must be true or false`)
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined
  }
}

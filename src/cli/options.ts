/** What the commands' options and help texts have in common. */
import { InvalidArgumentError, Option } from 'commander'

export interface JsonFlag {
  json?: true
}

export const JSON_OPTION = new Option('--json', 'print one JSON document')

/** The last part of a help text. */
export function example(line: string): string {
  return `\nExample:\n  $ ${line}`
}

/** A whole number. Its range is checked where the operation runs. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** A whole number or `none`. Its range is checked where the operation runs. */
export function wholeNumberOrNone(text: string): number | 'none' {
  if (text === 'none') return text
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("It must be a whole number or 'none'.")
  return Number(text)
}

/** Milliseconds since 1970 of a date or time that ISO 8601 allows; a date alone is midnight in UTC. */
export function timeMs(text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('It must be a date such as 2026-11-21 or 2026-11-21T10:00Z.')
  return ms
}

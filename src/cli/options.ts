import { InvalidArgumentError, Option } from 'commander'

export interface JsonFlag {
  json?: true
}

export const JSON_OPTION = new Option('--json', 'print one JSON document')

export function example(line: string): string {
  return `\nExample:\n  $ ${line}`
}

/** Milliseconds since 1970 of a date or time that ISO 8601 allows; a date alone is midnight in UTC. */
export function timeMs(text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('It must be a date such as 2026-11-21 or 2026-11-21T10:00Z.')
  return ms
}

import { InputError } from './input-error.ts'

const SHOWN_LENGTH = 60

/** Parses a line of NDJSON. @throws InputError if it is not an object */
export function parseLine(line: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new InputError(`${JSON.stringify(line.slice(0, SHOWN_LENGTH))} is not JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InputError(`${line.slice(0, SHOWN_LENGTH)} is not an object`)
  return value as Record<string, unknown>
}

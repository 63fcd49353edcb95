/** NDJSON: an object of JSON on each line. */
import { InputError } from './input-error.ts'

const SHOWN_LENGTH = 60

/** Returns the object on a line of NDJSON. @throws InputError when it is something else */
export function parsedLine(line: string): Record<string, unknown> {
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

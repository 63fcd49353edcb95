/** Records of NDJSON: one JSON object to a line. */
import { InputError } from './plan.ts'

/** Characters of a line that a message shows. */
const SHOWN_LENGTH = 60

/** The object that `line` is. @throws InputError when it is something else */
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

/** A code or a country, which may be a number; `''` for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

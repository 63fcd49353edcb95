const SHOWN_LENGTH = 60

/** Parses a line of NDJSON. Returns its fault as text if it is not an object. */
export function parseLine(line: string): Record<string, unknown> | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return `${JSON.stringify(line.slice(0, SHOWN_LENGTH))} is not JSON`
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `${line.slice(0, SHOWN_LENGTH)} is not an object`
  return value as Record<string, unknown>
}

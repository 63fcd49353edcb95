/** Reads a single-record body with `JSON.parse`, and lays its fields out as the scanner does. */
import { FIELD_NAMES } from '../../src/api/request/field-slots.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** The known fields in UTF-8, one after another, and where each ends; undefined when `body` is not an object. */
export function parseFields(body: Uint8Array): { bytes: Uint8Array; ends: number[] } | undefined {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(body))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const parts: Uint8Array[] = []
  const ends: number[] = []
  let end = 0
  for (const name of FIELD_NAMES) {
    const found: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
    const part = encoder.encode(typeof found === 'string' || Number.isFinite(found) ? String(found) : '')
    end += part.length
    parts.push(part)
    ends.push(end)
  }
  return { bytes: Buffer.concat(parts), ends }
}

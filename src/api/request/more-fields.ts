/** Fields that only a few endpoints have, read by `JSON.parse` so that the scanner of every request need not know them. */
import { isAscii } from 'node:buffer'
import type { ApiRequest } from '../service.ts'

export type MoreFields = Readonly<Record<string, unknown>>

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** All fields of a body that `Fields.read` has accepted, which is a JSON object. */
export function moreFields({ body }: ApiRequest): MoreFields {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  return JSON.parse(isAscii(bytes) ? bytes.toString('latin1') : decoder.decode(bytes))
}

/** Whether the field is there. Clients send null, or an empty text, for an option that is not set. */
export function hasField(fields: MoreFields, name: string): boolean {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return value !== undefined && value !== null && value !== ''
}

/** The number in a field, `fallback` when it is not there, or undefined when it is not a number from `min` to `max`. */
export function numberField(
  fields: MoreFields,
  name: string,
  min: number,
  max: number,
  fallback: number,
): number | undefined {
  if (!hasField(fields, name)) return fallback
  const value = fields[name]
  return typeof value === 'number' && value >= min && value <= max ? value : undefined
}

/** The same for whole numbers. */
export function wholeField(
  fields: MoreFields,
  name: string,
  min: number,
  max: number,
  fallback: number,
): number | undefined {
  const value = numberField(fields, name, min, max, fallback)
  return Number.isSafeInteger(value) ? value : undefined
}

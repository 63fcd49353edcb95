/**
 * MessagePack in one form: bytes are accepted only if packing their value gives the same bytes. This rule
 * refuses extensions, records, dates, longer forms of a number and repeated keys.
 */
// The main entry also loads a native reader of texts, which takes 10 ms.
import { Packr } from 'msgpackr/pack'

const packr = new Packr({ useRecords: false, mapsAsObjects: true })

export function packValue(value: unknown): Buffer {
  return packr.pack(value)
}

/** Returns a value. Its byte arrays are views. @throws Error unless `bytes` is exactly one value */
export function unpackValue(bytes: Uint8Array): unknown {
  const value = packr.unpack(bytes)
  if (packValue(value).compare(bytes) !== 0) throw new Error('MessagePack that the ledger does not write')
  return value
}

/** Returns values of `packValue`, as a digest proves. @throws Error unless `bytes` are whole values */
export function unpackOwn(bytes: Uint8Array): unknown[] {
  const values: unknown = packr.unpackMultiple(bytes)
  return Array.isArray(values) ? values : []
}

export function describeValue(value: unknown): string {
  const text = typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value)
  return `${typeof value} ${text.slice(0, 40)}`
}

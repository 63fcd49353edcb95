/**
 * MessagePack in one form only: bytes are accepted only if packing their value again gives the same bytes. So extensions, records,
 * dates, longer forms of a number and repeated keys are refused by this one rule.
 */
// Without what the package's main entry adds: a native reader of texts, which takes 10 ms to load and no ledger needs.
import { Packr } from 'msgpackr/pack'

const packr = new Packr({ useRecords: false, mapsAsObjects: true })

export function packValue(value: unknown): Buffer {
  return packr.pack(value)
}

/** Bytes in the value are views of `bytes`. @throws Error when `bytes` is not exactly one value */
export function unpackValue(bytes: Uint8Array): unknown {
  const value = packr.unpack(bytes)
  if (packValue(value).compare(bytes) !== 0) throw new Error('MessagePack that the ledger does not write')
  return value
}

/** The values that `bytes` are, when a digest has proved that `packValue` wrote them. @throws Error when `bytes` are not whole values */
export function unpackOwn(bytes: Uint8Array): unknown[] {
  const values: unknown = packr.unpackMultiple(bytes)
  return Array.isArray(values) ? values : []
}

export function said(value: unknown): string {
  const text = typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value)
  return `${typeof value} ${text.slice(0, 40)}`
}

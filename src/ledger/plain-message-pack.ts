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
  expectForm(value, bytes, 0, bytes.length)
  return value
}

/** Calls `visit` with each value, as `unpackValue`. @throws Error when `bytes` are not whole values */
export function eachValue(bytes: Uint8Array, visit: (value: unknown) => void): void {
  const values: { value: unknown; start: number; end: number }[] = []
  packr.unpackMultiple(bytes, (value: unknown, start = 0, end = bytes.length) => {
    values.push({ value, start, end })
  })
  for (const { value, start, end } of values) {
    expectForm(value, bytes, start, end)
    visit(value)
  }
}

function expectForm(value: unknown, bytes: Uint8Array, start: number, end: number): void {
  if (packValue(value).compare(bytes, start, end) !== 0)
    throw new Error('MessagePack that the ledger does not write')
}

export function said(value: unknown): string {
  const text = typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value)
  return `${typeof value} ${text.slice(0, 40)}`
}

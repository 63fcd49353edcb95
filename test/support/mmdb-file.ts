/** Writes small MaxMind DB files, for tests of their reader. */

export const text = (value: string) => Buffer.concat([Buffer.of((2 << 5) | value.length), Buffer.from(value)])
export const map = (...pairs: Buffer[]) => Buffer.concat([Buffer.of((7 << 5) | (pairs.length / 2)), ...pairs])
export const uint16 = (value: number) => Buffer.of((5 << 5) | 2, value >> 8, value & 255)
export const double = (value: number) => {
  const bytes = Buffer.alloc(9)
  bytes[0] = (3 << 5) | 8
  bytes.writeDoubleBE(value, 1)
  return bytes
}
export const array = (...items: Buffer[]) => Buffer.concat([Buffer.of(items.length, 4), ...items])
export const pointer = (to: number) => Buffer.of((1 << 5) | (to >> 8), to & 255)

/** A file of `records` with an empty search tree of one node, 24 bits a record. */
export function mmdbFile(...records: Buffer[]): Buffer {
  const metadata = map(text('node_count'), uint16(1), text('record_size'), uint16(24))
  return Buffer.concat([
    Buffer.alloc(6 + 16),
    ...records,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    metadata,
  ])
}

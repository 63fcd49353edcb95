/** CRC-32 (IEEE) of a part of a buffer, without a view or a call out of JavaScript for short parts. */
import { crc32 } from 'node:zlib'

/** Beyond this many bytes zlib's vector code wins over its 150 ns for the call and as much for the view. */
const SHORT_BYTES_MAX = 256

/** Eight tables of 256: the effect of a byte on the CRC, that many bytes later (Kounavis and Berry, 2005). */
const TABLES = makeTables()

/**
 * CRC-32 of `bytes[start, end)`. For frames of one key, some 60 bytes, a replayed entry costs 480 ns with it and 620 with
 * zlib alone (`bench/ledger-recovery.ts`, one entry per frame); for frames of twenty keys there is no difference.
 */
export function crc32Of(bytes: Uint8Array, start: number, end: number): number {
  return end - start > SHORT_BYTES_MAX ? crc32(bytes.subarray(start, end)) : shortCrc32(bytes, start, end)
}

/** Eight bytes at a time: their table reads do not wait for one another. */
function shortCrc32(bytes: Uint8Array, start: number, end: number): number {
  const read = (index: number): number => bytes[index]
  const table = (number: number, byte: number): number => TABLES[number * 256 + byte]
  let crc = -1
  let at = start
  for (; at + 8 <= end; at += 8) {
    const low = crc ^ (read(at) | (read(at + 1) << 8) | (read(at + 2) << 16) | (read(at + 3) << 24))
    crc =
      table(7, low & 255) ^
      table(6, (low >>> 8) & 255) ^
      table(5, (low >>> 16) & 255) ^
      table(4, low >>> 24) ^
      table(3, read(at + 4)) ^
      table(2, read(at + 5)) ^
      table(1, read(at + 6)) ^
      table(0, read(at + 7))
  }
  for (; at < end; at++) crc = table(0, (crc ^ read(at)) & 255) ^ (crc >>> 8)
  return ~crc >>> 0
}

function makeTables(): Uint32Array {
  const tables = new Uint32Array(8 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    tables[byte] = crc
  }
  for (let index = 256; index < tables.length; index++) {
    const before = tables[index - 256]
    tables[index] = (before >>> 8) ^ tables[before & 255]
  }
  return tables
}

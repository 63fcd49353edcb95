/** CRC-32 of sections: zlib's where Node.js runs, and a table of our own in a browser. */

type Crc32 = (bytes: Uint8Array, value?: number) => number

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** CRC-32 (IEEE) of `bytes`, continued from `value`. */
export function plainCrc32(bytes: Uint8Array, value = 0): number {
  let crc = ~value
  for (let at = 0; at < bytes.length; at++) crc = TABLE[(crc ^ bytes[at]) & 255] ^ (crc >>> 8)
  return ~crc >>> 0
}

// An import of `node:zlib` would keep this folder out of browsers.
const zlib = globalThis.process?.getBuiltinModule?.('node:zlib')

/** CRC-32 (IEEE) of `bytes`, continued from `value`. */
export const crc32: Crc32 = zlib?.crc32 ?? plainCrc32

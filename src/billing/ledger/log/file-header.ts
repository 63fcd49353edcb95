import { crc32 } from 'node:zlib'
import type { OpenFile } from '../disk/file-system.ts'
import { readFully } from '../disk/files.ts'
import { type Flaw, LedgerError } from '../ledger-error.ts'

/** Header of every segment and snapshot: 64 bytes. FORMAT.md has the table of offsets. */
interface FileHeader {
  epoch: number
  ledgerId: Buffer
  /** First sequence number of a segment; last one of a snapshot. */
  sequence: number
  /** CRC of the frame before a segment's first frame; of the last frame of a snapshot. */
  chainCrc: number
  createdMs: number
}

const VERSION = 1
export const FILE_HEADER_BYTES = 64
export const SEGMENT_MAGIC = 'PTLEDGER'
export const SNAPSHOT_MAGIC = 'PTSNAPSH'
export const SEQUENCE_OFFSET = 32
const CRC_OFFSET = 60

type Magic = typeof SEGMENT_MAGIC | typeof SNAPSHOT_MAGIC

export function encodeFileHeader(magic: Magic, header: FileHeader): Buffer {
  const bytes = Buffer.alloc(FILE_HEADER_BYTES)
  bytes.write(magic, 0, 'latin1')
  bytes.writeUInt32LE(VERSION, 8)
  bytes.writeUInt32LE(header.epoch, 12)
  header.ledgerId.copy(bytes, 16)
  bytes.writeBigUInt64LE(BigInt(header.sequence), SEQUENCE_OFFSET)
  bytes.writeUInt32LE(header.chainCrc, 40)
  bytes.writeDoubleLE(header.createdMs, 48)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CRC_OFFSET)), CRC_OFFSET)
  return bytes
}

/** Returns the header of a file, or its flaw. @throws LedgerError OTHER_FORMAT */
export async function readFileHeader(file: OpenFile, path: string, magic: Magic): Promise<FileHeader | Flaw> {
  const wrong = (offset: number, found: string, expected: string): Flaw => {
    return { frameOffset: 0, offset, found, expected }
  }
  const bytes = Buffer.alloc(FILE_HEADER_BYTES)
  const length = await readFully(file, bytes, 0)
  if (length < FILE_HEADER_BYTES) return wrong(0, `${length} bytes`, `a header of ${FILE_HEADER_BYTES} bytes`)
  const crc = crc32(bytes.subarray(0, CRC_OFFSET))
  const stored = bytes.readUInt32LE(CRC_OFFSET)
  if (crc !== stored) return wrong(CRC_OFFSET, `header CRC ${hex(stored)}`, hex(crc))
  const found = bytes.toString('latin1', 0, 8)
  if (found !== magic) return wrong(0, `magic ${JSON.stringify(found)}`, magic)
  expectVersion(path, bytes.readUInt32LE(8), VERSION)
  return {
    epoch: bytes.readUInt32LE(12),
    ledgerId: Buffer.from(bytes.subarray(16, SEQUENCE_OFFSET)),
    sequence: Number(bytes.readBigUInt64LE(SEQUENCE_OFFSET)),
    chainCrc: bytes.readUInt32LE(40),
    createdMs: bytes.readDoubleLE(48),
  }
}

export function expectVersion(file: string, version: number, expected: number): void {
  if (version === expected) return
  throw new LedgerError('OTHER_FORMAT', {
    file,
    offset: 8,
    found: `format version ${version}`,
    expected: `${expected}`,
    remedy: 'It was written by another version of postrie. Start that version on this folder.',
  })
}

export function hex(crc: number): string {
  return `0x${crc.toString(16).padStart(8, '0')}`
}

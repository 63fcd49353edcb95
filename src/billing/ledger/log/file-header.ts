/** Header of segments and snapshots. */
import { crc32 } from 'node:zlib'
import type { OpenFile } from '../disk/file-system.ts'
import { readFully } from '../disk/files.ts'
import { type Flaw, LedgerError } from '../ledger-error.ts'

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
/** Offsets of the fields. FORMAT.md is the authority. */
export const HEADER = {
  magic: 0,
  version: 8,
  epoch: 12,
  ledgerId: 16,
  sequence: 32,
  chainCrc: 40,
  createdMs: 48,
  crc: 60,
} as const

type Magic = typeof SEGMENT_MAGIC | typeof SNAPSHOT_MAGIC

export function encodeFileHeader(magic: Magic, header: FileHeader): Buffer {
  const bytes = Buffer.alloc(FILE_HEADER_BYTES)
  bytes.write(magic, HEADER.magic, 'latin1')
  bytes.writeUInt32LE(VERSION, HEADER.version)
  bytes.writeUInt32LE(header.epoch, HEADER.epoch)
  header.ledgerId.copy(bytes, HEADER.ledgerId)
  bytes.writeBigUInt64LE(BigInt(header.sequence), HEADER.sequence)
  bytes.writeUInt32LE(header.chainCrc, HEADER.chainCrc)
  bytes.writeDoubleLE(header.createdMs, HEADER.createdMs)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, HEADER.crc)), HEADER.crc)
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
  const crc = crc32(bytes.subarray(0, HEADER.crc))
  const stored = bytes.readUInt32LE(HEADER.crc)
  if (crc !== stored) return wrong(HEADER.crc, `header CRC ${hex(stored)}`, hex(crc))
  const found = bytes.toString('latin1', HEADER.magic, HEADER.version)
  if (found !== magic) return wrong(HEADER.magic, `magic ${JSON.stringify(found)}`, magic)
  expectVersion(path, bytes.readUInt32LE(HEADER.version), VERSION)
  return {
    epoch: bytes.readUInt32LE(HEADER.epoch),
    ledgerId: Buffer.from(bytes.subarray(HEADER.ledgerId, HEADER.sequence)),
    sequence: Number(bytes.readBigUInt64LE(HEADER.sequence)),
    chainCrc: bytes.readUInt32LE(HEADER.chainCrc),
    createdMs: bytes.readDoubleLE(HEADER.createdMs),
  }
}

export function expectVersion(file: string, version: number, expected: number): void {
  if (version === expected) return
  throw new LedgerError('OTHER_FORMAT', {
    file,
    offset: HEADER.version,
    found: `format version ${version}`,
    expected: `${expected}`,
    remedy: 'It was written by another version of postrie. Start that version on this folder.',
  })
}

export function hex(crc: number): string {
  return `0x${crc.toString(16).padStart(8, '0')}`
}

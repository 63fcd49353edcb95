import { crc32 } from 'node:zlib'
import { type Finding, LedgerError, REMEDY_RESTORE } from '../errors.ts'

/** The 64 bytes at the start of every segment and snapshot; FORMAT.md has the table of offsets. */
export interface FileHeader {
  epoch: number
  /** 16 bytes. */
  ledgerId: Buffer
  /** A segment's first sequence number; the last one that a snapshot includes. */
  sequence: number
  /** CRC of the frame before a segment's first; of the last frame that a snapshot includes. */
  chainCrc: number
  createdMs: number
}

/** Versions of segments and of snapshots. FORMAT.md, *Versions*, says what each has brought. */
export const SEGMENT_VERSION = 3
export const SNAPSHOT_VERSION = 4
export const FILE_HEADER_BYTES = 64
export const SEGMENT_MAGIC = 'PTLEDGER'
export const SNAPSHOT_MAGIC = 'PTSNAPSH'
const CRC_OFFSET = 60

type Magic = typeof SEGMENT_MAGIC | typeof SNAPSHOT_MAGIC
const VERSIONS: Record<Magic, number> = {
  [SEGMENT_MAGIC]: SEGMENT_VERSION,
  [SNAPSHOT_MAGIC]: SNAPSHOT_VERSION,
}

export function encodeFileHeader(magic: Magic, header: FileHeader): Buffer {
  const bytes = Buffer.alloc(FILE_HEADER_BYTES)
  bytes.write(magic, 0, 'latin1')
  bytes.writeUInt32LE(VERSIONS[magic], 8)
  bytes.writeUInt32LE(header.epoch, 12)
  header.ledgerId.copy(bytes, 16)
  bytes.writeBigUInt64LE(BigInt(header.sequence), 32)
  bytes.writeUInt32LE(header.chainCrc, 40)
  bytes.writeDoubleLE(header.createdMs, 48)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CRC_OFFSET)), CRC_OFFSET)
  return bytes
}

/** A header that was read, with the version whose rules its file follows. */
export interface ReadHeader extends FileHeader {
  version: number
}

/** The header, or what is wrong with it. @throws LedgerError NEWER_FORMAT */
export function decodeFileHeader(file: string, magic: Magic, bytes: Buffer): ReadHeader | Finding {
  const wrong = (offset: number, found: string, expected: string): Finding => {
    return { file, offset, found, expected, remedy: REMEDY_RESTORE }
  }
  if (bytes.length < FILE_HEADER_BYTES) {
    return wrong(0, `${bytes.length} bytes`, `a header of ${FILE_HEADER_BYTES} bytes`)
  }
  const crc = crc32(bytes.subarray(0, CRC_OFFSET))
  const stored = bytes.readUInt32LE(CRC_OFFSET)
  if (crc !== stored) return wrong(CRC_OFFSET, `header CRC ${hex(stored)}`, hex(crc))
  const found = bytes.toString('latin1', 0, 8)
  if (found !== magic) return wrong(0, `magic ${JSON.stringify(found)}`, magic)
  const version = bytes.readUInt32LE(8)
  checkVersion(file, version, VERSIONS[magic])
  return {
    version,
    epoch: bytes.readUInt32LE(12),
    ledgerId: Buffer.from(bytes.subarray(16, 32)),
    sequence: Number(bytes.readBigUInt64LE(32)),
    chainCrc: bytes.readUInt32LE(40),
    createdMs: bytes.readDoubleLE(48),
  }
}

/** @throws LedgerError NEWER_FORMAT for a version above this program's. */
export function checkVersion(file: string, version: number, versionMax: number): void {
  if (version <= versionMax) return
  throw new LedgerError('NEWER_FORMAT', {
    file,
    offset: 8,
    found: `format version ${version}`,
    expected: `${versionMax} or lower`,
    remedy: REMEDY_NEWER,
  })
}

/** Of something in a sound file that only a later version can have written. */
export function newerFormat(file: string, offset: number, { message }: Error): LedgerError {
  return new LedgerError('NEWER_FORMAT', {
    file,
    offset,
    found: message,
    expected: 'nothing of a later version',
    remedy: REMEDY_NEWER,
  })
}

const REMEDY_NEWER = 'It was written by a newer postrie: start that version, or a later one, on this folder.'

export function hex(crc: number): string {
  return `0x${crc.toString(16).padStart(8, '0')}`
}

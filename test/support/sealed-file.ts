/** Changes index files on purpose and repairs their checksums. */
import { crc32 } from 'node:zlib'
import { HEADER, HEADER_BYTES, SECTION_ENTRY_BYTES } from '../../src/format/layout.ts'

export const ENTRY = { name: 0, crc: 4, offset: 8, length: 16, count: 24, entryBytes: 28 } as const

/** Where the entry of section `name` begins in the header of `file`. */
export function entryOf(file: Buffer, name: string): number {
  for (let i = 0; i < file.readUInt32LE(HEADER.sectionCount); i++) {
    const at = HEADER_BYTES + i * SECTION_ENTRY_BYTES
    if (file.toString('latin1', at, at + 4) === name) return at
  }
  throw new RangeError(`no section ${name}`)
}

/** Bytes of header and section table. */
export function headBytes(file: Buffer): number {
  return HEADER_BYTES + file.readUInt32LE(HEADER.sectionCount) * SECTION_ENTRY_BYTES
}

/** A copy of `file` with `change` applied and the header's checksum recomputed. */
export function resealed(file: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(file)
  change(copy)
  copy.writeUInt32LE(0, HEADER.crc)
  copy.writeUInt32LE(crc32(copy.subarray(0, headBytes(copy))), HEADER.crc)
  return copy
}

/** A copy of `file` with `change` applied to the bytes of section `name`, and both checksums recomputed. */
export function withSection(file: Buffer, name: string, change: (section: Buffer) => void): Buffer {
  return resealed(file, copy => {
    const at = entryOf(copy, name)
    const offset = Number(copy.readBigUInt64LE(at + ENTRY.offset))
    const section = copy.subarray(offset, offset + Number(copy.readBigUInt64LE(at + ENTRY.length)))
    change(section)
    copy.writeUInt32LE(crc32(section), at + ENTRY.crc)
  })
}

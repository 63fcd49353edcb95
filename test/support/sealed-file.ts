import { crc32 } from 'node:zlib'
import {
  SECTION_ENTRY as ENTRY,
  HEAD_BYTES,
  HEADER,
  HEADER_BYTES,
  SECTION_ENTRY_BYTES,
  SECTION_NAMES,
  type SectionName,
} from '../../src/postal/format/layout.ts'

export function sectionEntryOffset(name: SectionName): number {
  return HEADER_BYTES + SECTION_NAMES.indexOf(name) * SECTION_ENTRY_BYTES
}

/** Returns a copy of `file` with `change` applied and the header's checksum repaired. */
export function reseal(file: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(file)
  change(copy)
  copy.writeUInt32LE(0, HEADER.crc)
  copy.writeUInt32LE(crc32(copy.subarray(0, HEAD_BYTES)), HEADER.crc)
  return copy
}

/** Returns a copy of `file` with `change` applied to section `name`, and both checksums repaired. */
export function withSection(file: Buffer, name: SectionName, change: (section: Buffer) => void): Buffer {
  return reseal(file, copy => {
    const at = sectionEntryOffset(name)
    const offset = Number(copy.readBigUInt64LE(at + ENTRY.offset))
    const section = copy.subarray(offset, offset + Number(copy.readBigUInt64LE(at + ENTRY.length)))
    change(section)
    copy.writeUInt32LE(crc32(section), at + ENTRY.crc)
  })
}

/** Returns a copy of `file` with a bit of section `name` changed, and no checksum repaired. */
export function damaged(file: Buffer, name: SectionName): Buffer {
  const copy = Buffer.from(file)
  copy[Number(copy.readBigUInt64LE(sectionEntryOffset(name) + ENTRY.offset)) + 100] ^= 1
  return copy
}

/** Changes index files on purpose and repairs their checksums. */
import { crc32 } from 'node:zlib'
import {
  SECTION_ENTRY as ENTRY,
  HEAD_BYTES,
  HEADER,
  HEADER_BYTES,
  SECTION_ENTRY_BYTES,
  SECTION_NAMES,
  type SectionName,
} from '../../src/format/layout.ts'

/** Offset of the entry of section `name` in the header. */
export function entryOf(name: SectionName): number {
  return HEADER_BYTES + SECTION_NAMES.indexOf(name) * SECTION_ENTRY_BYTES
}

/** A copy of `file` with `change` applied and the header's checksum recomputed. */
export function resealed(file: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(file)
  change(copy)
  copy.writeUInt32LE(0, HEADER.crc)
  copy.writeUInt32LE(crc32(copy.subarray(0, HEAD_BYTES)), HEADER.crc)
  return copy
}

/** A copy of `file` with `change` applied to the bytes of section `name`, and both checksums recomputed. */
export function withSection(file: Buffer, name: SectionName, change: (section: Buffer) => void): Buffer {
  return resealed(file, copy => {
    const at = entryOf(name)
    const offset = Number(copy.readBigUInt64LE(at + ENTRY.offset))
    const section = copy.subarray(offset, offset + Number(copy.readBigUInt64LE(at + ENTRY.length)))
    change(section)
    copy.writeUInt32LE(crc32(section), at + ENTRY.crc)
  })
}

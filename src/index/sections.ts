/** Reads and checks the header and section table of an index file. FORMAT.md is the authority on both. */
import { crc32 } from 'node:zlib'
import {
  BUILD_ID_BYTES,
  HEADER,
  HEADER_BYTES,
  LATER_SECTIONS,
  MAGIC,
  SECTION_ENTRY,
  SECTION_ENTRY_BYTES,
  SECTIONS,
  SECTIONS_MAX,
  type SectionName,
  VERSION_MAJOR,
} from '../format/layout.ts'
import { IndexFileError } from './index-file-error.ts'

export interface Section {
  bytes: Uint8Array
  crc: number
  count: number
}

export interface SectionFile {
  sections: Record<SectionName, Section>
  buildId: string
  dataDayMs: number
  codeCount: number
  countryCount: number
}

/**
 * Checks everything about `bytes` that does not need its contents: magic, version, length, the header's checksum, the
 * bounds and order of sections. Costs the same for any size; `verifySections` checks the contents.
 * @param path for messages
 * @throws IndexFileError
 */
export function readSections(bytes: Uint8Array, path: string): SectionFile {
  const fail = (problem: string): never => {
    throw new IndexFileError(path, problem)
  }
  if (bytes.length < HEADER_BYTES) fail(`${bytes.length} bytes found, a header of ${HEADER_BYTES} expected`)
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, HEADER_BYTES)
  const magic = head.toString('latin1', 0, MAGIC.length)
  if (magic !== MAGIC)
    fail(`begins with ${JSON.stringify(magic)}, expected ${JSON.stringify(MAGIC)}: not an index file`)
  const major = head.readUInt16LE(HEADER.major)
  if (major !== VERSION_MAJOR)
    fail(`has format version ${major}, this postrie reads version ${VERSION_MAJOR}`)
  const length = head.readBigUInt64LE(HEADER.fileLength)
  if (length !== BigInt(bytes.length))
    fail(`holds ${bytes.length} bytes, its header says ${length}: cut short or appended to`)
  const count = head.readUInt32LE(HEADER.sectionCount)
  const tableEnd = HEADER_BYTES + count * SECTION_ENTRY_BYTES
  if (count > SECTIONS_MAX || tableEnd > bytes.length)
    fail(`names ${count} sections, at most ${SECTIONS_MAX} expected`)
  const table = Buffer.from(bytes.subarray(0, tableEnd))
  const crc = table.readUInt32LE(HEADER.crc)
  table.writeUInt32LE(0, HEADER.crc)
  if (crc32(table) !== crc) fail('the checksum of the header does not match: the header is damaged')
  const minor = table.readUInt16LE(HEADER.minor)
  const sections = sectionsOf(bytes, table, minor, fail)
  const codeCount = table.readUInt32LE(HEADER.codeCount)
  const countryCount = table.readUInt32LE(HEADER.countryCount)
  if (codeCount !== sections.CODE.count || countryCount !== sections.CTRY.count)
    fail(
      `the header counts ${codeCount} codes and ${countryCount} countries, ` +
        `CODE has ${sections.CODE.count} and CTRY ${sections.CTRY.count}`,
    )
  return {
    sections,
    buildId: table.toString('hex', HEADER.buildId, HEADER.buildId + BUILD_ID_BYTES),
    dataDayMs: Number(table.readBigUInt64LE(HEADER.dataDayMs)),
    codeCount,
    countryCount,
  }
}

function sectionsOf(bytes: Uint8Array, table: Buffer, minor: number, fail: (problem: string) => never) {
  const count = table.readUInt32LE(HEADER.sectionCount)
  const found = new Map<string, Section>()
  let previousEnd = table.length
  for (let i = 0; i < count; i++) {
    const at = HEADER_BYTES + i * SECTION_ENTRY_BYTES
    const name = table.toString('latin1', at + SECTION_ENTRY.name, at + SECTION_ENTRY.name + 4)
    const offset = Number(table.readBigUInt64LE(at + SECTION_ENTRY.offset))
    const length = Number(table.readBigUInt64LE(at + SECTION_ENTRY.length))
    const entries = table.readUInt32LE(at + SECTION_ENTRY.count)
    const entryBytes = table.readUInt32LE(at + SECTION_ENTRY.entryBytes)
    if (offset % 8 !== 0 || offset < previousEnd || offset + length > bytes.length) {
      fail(
        `section ${name} lies at ${offset} to ${offset + length}, expected between ${previousEnd} and ${bytes.length}`,
      )
    }
    if (entryBytes !== 0 && entries * entryBytes !== length) {
      fail(`section ${name} holds ${length} bytes, ${entries} entries of ${entryBytes} expected`)
    }
    if (name in SECTIONS && entryBytes !== SECTIONS[name as SectionName]) {
      fail(`entries of section ${name} have ${entryBytes} bytes, ${SECTIONS[name as SectionName]} expected`)
    }
    if (found.has(name)) fail(`section ${name} is there twice`)
    found.set(name, {
      bytes: bytes.subarray(offset, offset + length),
      crc: table.readUInt32LE(at + SECTION_ENTRY.crc),
      count: entries,
    })
    previousEnd = offset + length
  }
  for (const name of Object.keys(SECTIONS) as SectionName[]) {
    if (found.has(name)) continue
    if ((LATER_SECTIONS[name] ?? 0) <= minor) fail(`section ${name} is missing`)
    found.set(name, { bytes: new Uint8Array(0), crc: 0, count: 0 })
  }
  return Object.fromEntries(found) as Record<SectionName, Section>
}

/** Reads and checks the header and section table of an index file. FORMAT.md is the authority on both. */
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
import { latin1Text } from '../text/bytes.ts'
import { crc32 } from './checksum.ts'
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
  const head = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES)
  const magic = latin1Text(bytes, 0, MAGIC.length)
  if (magic !== MAGIC)
    fail(`begins with ${JSON.stringify(magic)}, expected ${JSON.stringify(MAGIC)}: not an index file`)
  const major = head.getUint16(HEADER.major, true)
  if (major !== VERSION_MAJOR)
    fail(`has format version ${major}, this postrie reads version ${VERSION_MAJOR}`)
  const length = head.getBigUint64(HEADER.fileLength, true)
  if (length !== BigInt(bytes.length))
    fail(`holds ${bytes.length} bytes, its header says ${length}: cut short or appended to`)
  const count = head.getUint32(HEADER.sectionCount, true)
  const tableEnd = HEADER_BYTES + count * SECTION_ENTRY_BYTES
  if (count > SECTIONS_MAX || tableEnd > bytes.length)
    fail(`names ${count} sections, at most ${SECTIONS_MAX} expected`)
  const table = new Uint8Array(bytes.subarray(0, tableEnd))
  const view = new DataView(table.buffer)
  const crc = view.getUint32(HEADER.crc, true)
  view.setUint32(HEADER.crc, 0, true)
  if (crc32(table) !== crc) fail('the checksum of the header does not match: the header is damaged')
  const minor = view.getUint16(HEADER.minor, true)
  const sections = sectionsOf(bytes, table, minor, fail)
  const codeCount = view.getUint32(HEADER.codeCount, true)
  const countryCount = view.getUint32(HEADER.countryCount, true)
  if (codeCount !== sections.CODE.count || countryCount !== sections.CTRY.count)
    fail(
      `the header counts ${codeCount} codes and ${countryCount} countries, ` +
        `CODE has ${sections.CODE.count} and CTRY ${sections.CTRY.count}`,
    )
  return {
    sections,
    buildId: hexOf(table.subarray(HEADER.buildId, HEADER.buildId + BUILD_ID_BYTES)),
    dataDayMs: Number(view.getBigUint64(HEADER.dataDayMs, true)),
    codeCount,
    countryCount,
  }
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

function sectionsOf(
  bytes: Uint8Array,
  table: Uint8Array<ArrayBuffer>,
  minor: number,
  fail: (problem: string) => never,
) {
  const view = new DataView(table.buffer)
  const count = view.getUint32(HEADER.sectionCount, true)
  const found = new Map<string, Section>()
  let previousEnd = table.length
  for (let i = 0; i < count; i++) {
    const at = HEADER_BYTES + i * SECTION_ENTRY_BYTES
    const name = latin1Text(table, at + SECTION_ENTRY.name, at + SECTION_ENTRY.name + 4)
    const offset = Number(view.getBigUint64(at + SECTION_ENTRY.offset, true))
    const length = Number(view.getBigUint64(at + SECTION_ENTRY.length, true))
    const entries = view.getUint32(at + SECTION_ENTRY.count, true)
    const entryBytes = view.getUint32(at + SECTION_ENTRY.entryBytes, true)
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
      crc: view.getUint32(at + SECTION_ENTRY.crc, true),
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

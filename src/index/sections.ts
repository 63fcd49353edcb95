/** Reads and checks the header and section table of an index file, and the checksums of its sections. */
import {
  BUILD_ID_BYTES,
  HEAD_BYTES,
  HEADER,
  HEADER_BYTES,
  MAGIC,
  SECTION_ENTRY,
  SECTION_ENTRY_BYTES,
  SECTION_NAMES,
  SECTIONS,
  type SectionName,
  VERSION,
} from '../format/layout.ts'
import { latin1Text } from '../text/bytes.ts'
import { IndexFileError } from './index-file-error.ts'

export interface Section {
  bytes: Uint8Array
  crc: number
  /** Number of entries, or of bytes if entries differ in length. */
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
 * Checks the header and the table of sections: magic, version, length, checksum, bounds and order. Reads no section, so it costs the
 * same for any size.
 * @param path for messages
 * @throws IndexFileError
 */
export function readSections(bytes: Uint8Array, path: string): SectionFile {
  const fail = (problem: string): never => {
    throw new IndexFileError(path, problem)
  }
  if (bytes.length < HEADER_BYTES) fail(`${bytes.length} bytes found, a header of ${HEADER_BYTES} expected`)
  const magic = latin1Text(bytes, 0, MAGIC.length)
  if (magic !== MAGIC)
    fail(`begins with ${JSON.stringify(magic)}, expected ${JSON.stringify(MAGIC)}: not an index file`)
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint32(HEADER.version, true)
  if (version !== VERSION) fail(`has format version ${version}, this postrie reads version ${VERSION}`)
  if (bytes.length < HEAD_BYTES)
    fail(`${bytes.length} bytes found, a section table that ends at ${HEAD_BYTES} expected: cut short`)
  const head = new Uint8Array(bytes.subarray(0, HEAD_BYTES))
  const view = new DataView(head.buffer)
  const length = view.getBigUint64(HEADER.fileLength, true)
  if (length !== BigInt(bytes.length))
    fail(`holds ${bytes.length} bytes, its header says ${length}: cut short or appended to`)
  const crc = view.getUint32(HEADER.crc, true)
  view.setUint32(HEADER.crc, 0, true)
  if (crc32(head) !== crc) fail('the checksum of the header does not match: the header is damaged')
  const count = view.getUint32(HEADER.sectionCount, true)
  if (count !== SECTION_NAMES.length) fail(`names ${count} sections, ${SECTION_NAMES.length} expected`)
  let end = HEAD_BYTES
  const sections = {} as SectionFile['sections']
  SECTION_NAMES.forEach((name, i) => {
    const at = HEADER_BYTES + i * SECTION_ENTRY_BYTES
    const found = latin1Text(head, at + SECTION_ENTRY.name, at + SECTION_ENTRY.name + 4)
    if (found !== name) fail(`has section ${JSON.stringify(found)}, expected ${name}`)
    const start = Number(view.getBigUint64(at + SECTION_ENTRY.offset, true))
    const length = Number(view.getBigUint64(at + SECTION_ENTRY.length, true))
    if (start % 8 !== 0 || start < end || start + length > bytes.length)
      fail(
        `section ${name} lies at ${start} to ${start + length}, expected between ${end} and ${bytes.length}`,
      )
    if (length % SECTIONS[name] !== 0)
      fail(`section ${name} holds ${length} bytes, entries of ${SECTIONS[name]} expected`)
    end = start + length
    sections[name] = {
      bytes: bytes.subarray(start, end),
      crc: view.getUint32(at + SECTION_ENTRY.crc, true),
      count: length / SECTIONS[name],
    }
  })
  const codeCount = view.getUint32(HEADER.codeCount, true)
  if (codeCount > sections.CODE.count)
    fail(`the header counts ${codeCount} codes, CODE has ${sections.CODE.count}`)
  const buildId = head.subarray(HEADER.buildId, HEADER.buildId + BUILD_ID_BYTES)
  return {
    sections,
    buildId: Array.from(buildId, byte => hex(byte, 2)).join(''),
    dataDayMs: Number(view.getBigUint64(HEADER.dataDayMs, true)),
    codeCount,
    countryCount: sections.CTRY.count,
  }
}

/** @param found checksum of the section's bytes, where it is known @throws IndexFileError when it is not the stored one */
export function verifySection(
  { bytes, crc }: Section,
  name: SectionName,
  path: string,
  found: number = crc32(bytes),
): void {
  if (found !== crc)
    throw new IndexFileError(
      path,
      `section ${name} has checksum ${hex(found, 8)}, expected ${hex(crc, 8)}: damaged`,
    )
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

function plainCrc32(bytes: Uint8Array, value = 0): number {
  let crc = ~value
  for (let at = 0; at < bytes.length; at++) crc = CRC_TABLE[(crc ^ bytes[at]) & 255] ^ (crc >>> 8)
  return ~crc >>> 0
}

/** CRC-32 (IEEE) of bytes, continued from a value. An import of `node:zlib` would keep this folder out of browsers. */
export const crc32: (bytes: Uint8Array, value?: number) => number =
  globalThis.process?.getBuiltinModule?.('node:zlib')?.crc32 ?? plainCrc32

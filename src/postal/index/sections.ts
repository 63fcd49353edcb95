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
  /** Number of entries; of bytes where entries vary in length. */
  count: number
}

export interface SectionFile {
  sections: Record<SectionName, Section>
  buildId: string
  dataDayMs: number
  codeCount: number
  countryCount: number
}

type Fail = (problem: string) => never

/** Checks header and table of sections. Reads no section. @throws IndexFileError */
export function readSections(bytes: Uint8Array, path: string): SectionFile {
  const fail: Fail = problem => {
    throw new IndexFileError(path, problem)
  }
  const head = readHead(bytes, fail)
  const sections = {} as SectionFile['sections']
  let end = HEAD_BYTES
  SECTION_NAMES.forEach((name, i) => {
    sections[name] = readSection(bytes, head, i, end, fail)
    end = sections[name].bytes.byteOffset - bytes.byteOffset + sections[name].bytes.length
  })
  const codeCount = head.getUint32(HEADER.codeCount, true)
  if (codeCount > sections.CODE.count)
    fail(`the header counts ${codeCount} codes, CODE has ${sections.CODE.count}`)
  const buildId = new Uint8Array(head.buffer, HEADER.buildId, BUILD_ID_BYTES)
  return {
    sections,
    buildId: Array.from(buildId, byte => hex(byte, 2)).join(''),
    dataDayMs: Number(head.getBigUint64(HEADER.dataDayMs, true)),
    codeCount,
    countryCount: sections.CTRY.count,
  }
}

/** Returns a copy of the header and the table of sections, after checking the header. */
function readHead(bytes: Uint8Array, fail: Fail): DataView {
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
  const fileBytes = view.getBigUint64(HEADER.fileLength, true)
  if (fileBytes !== BigInt(bytes.length))
    fail(`holds ${bytes.length} bytes, its header says ${fileBytes}: cut short or appended to`)
  const crc = view.getUint32(HEADER.crc, true)
  view.setUint32(HEADER.crc, 0, true)
  if (crc32(head) !== crc) fail('the checksum of the header does not match: the header is damaged')
  const count = view.getUint32(HEADER.sectionCount, true)
  if (count !== SECTION_NAMES.length) fail(`names ${count} sections, ${SECTION_NAMES.length} expected`)
  return view
}

/** Reads the `number`-th section of the table. @param startMin end of the section before it */
function readSection(
  bytes: Uint8Array,
  head: DataView,
  number: number,
  startMin: number,
  fail: Fail,
): Section {
  const name = SECTION_NAMES[number]
  const at = HEADER_BYTES + number * SECTION_ENTRY_BYTES
  const nameAt = at + SECTION_ENTRY.name
  const found = latin1Text(new Uint8Array(head.buffer), nameAt, nameAt + name.length)
  if (found !== name) fail(`has section ${JSON.stringify(found)}, expected ${name}`)
  const start = Number(head.getBigUint64(at + SECTION_ENTRY.offset, true))
  const length = Number(head.getBigUint64(at + SECTION_ENTRY.length, true))
  const end = start + length
  if (start % 8 !== 0 || start < startMin || end > bytes.length)
    fail(`section ${name} lies at ${start} to ${end}, expected between ${startMin} and ${bytes.length}`)
  if (length % SECTIONS[name] !== 0)
    fail(
      `section ${name} holds ${length} bytes, which is no multiple of its entries' ${SECTIONS[name]} bytes`,
    )
  const crc = head.getUint32(at + SECTION_ENTRY.crc, true)
  return { bytes: bytes.subarray(start, end), crc, count: length / SECTIONS[name] }
}

/** Checks a section. @param found its checksum, if already computed @throws IndexFileError */
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

/** Returns the CRC-32 (IEEE) of bytes, continued from a value. This folder works in browsers. */
export const crc32: (bytes: Uint8Array, value?: number) => number =
  globalThis.process?.getBuiltinModule?.('node:zlib')?.crc32 ?? plainCrc32

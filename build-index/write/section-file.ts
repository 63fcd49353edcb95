/** Writes sections as one file and replaces the old file at once. */
import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { replaceFile } from '../../src/platform/replace-file.ts'
import {
  BUILD_ID_BYTES,
  HEAD_BYTES,
  HEADER,
  HEADER_BYTES,
  MAGIC,
  SECTION_ENTRY,
  SECTION_ENTRY_BYTES,
  SECTION_NAMES,
  type SectionName,
  VERSION,
} from '../../src/postal/format/layout.ts'

/** Alignment: entries of 32 bytes never lie across two cache lines. */
const CACHE_LINE_BYTES = 64

interface FileParts {
  sections: Record<SectionName, Uint8Array>
  dataDayMs: number
  codeCount: number
}

/** Complete file beside the one that it may replace. */
export interface WrittenFile {
  temporary: string
  bytes: number
  buildId: string
}

/** Writes `parts` to a temporary file in the folder of `path`. @throws the system's error */
export function writeSectionFile(path: string, parts: FileParts): WrittenFile {
  const { head, offsets, bytes, buildId } = layOut(parts)
  const temporary = `${path}.${process.pid}.tmp`
  const file = openSync(temporary, 'wx', 0o644)
  try {
    try {
      writeFully(file, head, 0)
      for (const name of SECTION_NAMES) writeFully(file, parts.sections[name], offsets[name])
    } finally {
      closeSync(file)
    }
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  return { temporary, bytes, buildId }
}

/**
 * Renames a file to `path` after `check`.
 * @throws the system's error, or the error of `check`; `path` is untouched then, and the file is removed
 */
export async function replaceAfter(
  path: string,
  { temporary }: WrittenFile,
  check: (path: string) => void,
): Promise<void> {
  try {
    check(temporary)
    await replaceFile(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function layOut({ sections, dataDayMs, codeCount }: FileParts) {
  const head = Buffer.alloc(HEAD_BYTES)
  const offsets = {} as Record<SectionName, number>
  let end = HEAD_BYTES
  SECTION_NAMES.forEach((name, i) => {
    const section = sections[name]
    const offset = Math.ceil(end / CACHE_LINE_BYTES) * CACHE_LINE_BYTES
    const at = HEADER_BYTES + i * SECTION_ENTRY_BYTES
    head.write(name, at + SECTION_ENTRY.name, 'latin1')
    head.writeUInt32LE(crc32(section), at + SECTION_ENTRY.crc)
    head.writeBigUInt64LE(BigInt(offset), at + SECTION_ENTRY.offset)
    head.writeBigUInt64LE(BigInt(section.length), at + SECTION_ENTRY.length)
    offsets[name] = offset
    end = offset + section.length
  })
  const buildId = createHash('sha256')
    .update(head.subarray(HEADER_BYTES))
    .digest()
    .subarray(0, BUILD_ID_BYTES)
  head.write(MAGIC, 0, 'latin1')
  head.writeUInt32LE(VERSION, HEADER.version)
  head.writeUInt32LE(SECTION_NAMES.length, HEADER.sectionCount)
  head.writeBigUInt64LE(BigInt(end), HEADER.fileLength)
  buildId.copy(head, HEADER.buildId)
  head.writeBigUInt64LE(BigInt(dataDayMs), HEADER.dataDayMs)
  head.writeUInt32LE(codeCount, HEADER.codeCount)
  head.writeUInt32LE(crc32(head), HEADER.crc)
  return { head, offsets, bytes: end, buildId: buildId.toString('hex') }
}

function writeFully(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
  }
}

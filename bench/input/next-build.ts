/** A new build of an index for those who swap: the same contents under another build id, since the same build is not swapped in. */
import { closeSync, copyFileSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { HEADER, HEADER_BYTES, SECTION_ENTRY_BYTES } from '../../src/format/layout.ts'

/** Puts a copy of the index at `from` in the place of the file at `to`, as build `number`. */
export function replaceByNextBuild(from: string, to: string, number: number): void {
  const next = `${to}.next`
  copyFileSync(from, next)
  const file = openSync(next, 'r+')
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    readSync(file, header, 0, HEADER_BYTES, 0)
    const head = Buffer.alloc(HEADER_BYTES + header.readUInt32LE(HEADER.sectionCount) * SECTION_ENTRY_BYTES)
    readSync(file, head, 0, head.length, 0)
    head.writeUInt32LE(number, HEADER.buildId)
    head.writeUInt32LE(0, HEADER.crc)
    head.writeUInt32LE(crc32(head), HEADER.crc)
    writeSync(file, head, 0, head.length, 0)
  } finally {
    closeSync(file)
  }
  renameSync(next, to)
}

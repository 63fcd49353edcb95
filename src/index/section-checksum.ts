/** The checksum of one section, wherever JavaScript runs. */
import type { SectionName } from '../format/layout.ts'
import { crc32 } from './checksum.ts'
import { IndexFileError } from './index-file-error.ts'
import type { Section } from './sections.ts'

/** Checks the checksum of one section. @throws IndexFileError */
export function verifySection({ bytes, crc }: Section, name: SectionName, path: string): void {
  compareChecksum(crc32(bytes), crc, name, path)
}

/** @throws IndexFileError when `found` is not `expected` */
export function compareChecksum(found: number, expected: number, name: SectionName, path: string): void {
  if (found !== expected)
    throw new IndexFileError(
      path,
      `section ${name} has checksum ${hex(found)}, expected ${hex(expected)}: damaged`,
    )
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0')
}

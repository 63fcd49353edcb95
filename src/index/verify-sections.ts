/** The checksums of an index file's sections: checked at once by tools, and in slices by a thread that serves. */
import { setImmediate } from 'node:timers/promises'
import type { SectionName } from '../format/layout.ts'
import { crc32 } from './checksum.ts'
import { compareChecksum, verifySection } from './section-checksum.ts'
import type { Section, SectionFile } from './sections.ts'

/** Bytes whose checksum is computed without a pause: a quarter of a millisecond. */
const SLICE_BYTES = 256 * 1024

/** Checks the checksum of every section. Reads the whole file: about a second per gigabyte. @throws IndexFileError */
export function verifySections({ sections }: SectionFile, path: string): void {
  for (const [name, section] of entriesOf(sections)) verifySection(section, name, path)
}

/**
 * The same as `verifySections`, but the thread does other work between slices.
 * @param isWanted asked before each slice; false ends the check early
 * @throws IndexFileError
 */
export async function verifyInSlices(
  { sections }: SectionFile,
  path: string,
  isWanted: () => boolean,
): Promise<void> {
  for (const [name, { bytes, crc }] of entriesOf(sections)) {
    let found = 0
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      if (!isWanted()) return
      found = crc32(bytes.subarray(at, at + SLICE_BYTES), found)
      await setImmediate()
    }
    compareChecksum(found, crc, name, path)
  }
}

function entriesOf(sections: SectionFile['sections']): [SectionName, Section][] {
  return Object.entries(sections) as [SectionName, Section][]
}

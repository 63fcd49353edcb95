import { mapReadOnly } from '../../platform/map-file.ts'
import { SECTION_NAMES } from '../format/layout.ts'
import { type PostalIndex, readIndex } from './postal-index.ts'
import { verifySection } from './sections.ts'

/**
 * Maps the index file at `path`, which must not be changed in place. Costs some two milliseconds for any
 * size.
 * @throws IndexFileError unless it is a sound index file; the system's error if it cannot be opened
 */
export function openIndex(path: string): PostalIndex {
  return readIndex(mapReadOnly(path), path)
}

/** Runs `work` on the index at `path`, and closes it. @throws the errors of `openIndex` and of `work` */
export function withIndex<T>(path: string, work: (index: PostalIndex) => T): T {
  const index = openIndex(path)
  try {
    return work(index)
  } finally {
    void index.loans.retire()
  }
}

/** Checks every checksum. Reads the whole file, about a second per gigabyte. @throws IndexFileError */
export function verifyIndex({ file: { sections }, path }: PostalIndex): void {
  for (const name of SECTION_NAMES) verifySection(sections[name], name, path)
}

/** Opens index files for tools and for programs that use the library: the file is mapped, and pages come as they are read. */
import { SECTION_NAMES } from '../format/layout.ts'
import { mapReadOnly } from '../platform/map-file.ts'
import { type PostalIndex, readIndex } from './postal-index.ts'
import { verifySection } from './sections.ts'

/**
 * Opens the index file at `path` for a tool: the file is mapped, and must not be changed in place while the process reads it.
 * Costs some two milliseconds whatever its size the first time, a fifth of that later (`npm run bench -- library`); the first call
 * loads koffi.
 * @throws IndexFileError when it is not a sound index file, the system's error when it cannot be opened
 */
export function openIndex(path: string): PostalIndex {
  return readIndex(mapReadOnly(path), path)
}

/** Runs `work` on the index at `path`, and closes it. @throws as `openIndex`, and what `work` throws */
export function withIndex<T>(path: string, work: (index: PostalIndex) => T): T {
  const index = openIndex(path)
  try {
    return work(index)
  } finally {
    void index.loans.retire()
  }
}

/** Checks the checksum of every section: reads the whole file, about a second per gigabyte. @throws IndexFileError */
export function verifyIndex({ file: { sections }, path }: PostalIndex): void {
  for (const name of SECTION_NAMES) verifySection(sections[name], name, path)
}

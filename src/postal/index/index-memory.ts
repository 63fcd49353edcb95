/**
 * Index of a serving process: a copy in memory, safe from changes of the file and from a broken disk.
 *
 *   INDEX_FILE --read--> shared memory <--reads-- server threads, until they have replaced the index
 *                                      <--reads-- workers, while a batch borrows it
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { allocateShared, memoryAt, type SharedMemory } from '../../platform/shared-memory.ts'
import { SECTION_NAMES } from '../format/layout.ts'
import { IndexFileError } from './index-file-error.ts'
import type { LentIndex } from './loans.ts'
import { countriesOf, type PostalIndex, readIndex } from './postal-index.ts'
import { crc32, verifySection } from './sections.ts'

/** Bytes of one read, each on Node's thread pool. */
const READ_BYTES = 4 * 1024 * 1024
/** Bytes whose checksum is computed without a pause: a quarter of a millisecond. */
const SLICE_BYTES = 256 * 1024

/** Copies the file into memory and opens it: a millisecond per MB. @throws IndexFileError, system errors */
export async function openServedIndex(path: string): Promise<PostalIndex> {
  // Without the flag, a pipe would block until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  let memory: SharedMemory | undefined
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new IndexFileError(path, 'it is not a regular file')
    if (stats.size === 0) throw new IndexFileError(path, 'the file is empty')
    memory = await allocateShared(stats.size)
    await readWhole(file, memory.bytes, path)
    return readIndex(memory, path)
  } catch (error) {
    await memory?.release()
    throw error
  } finally {
    await file.close()
  }
}

/** Verifies checksums and rules between other work. Ends early if it is retired. @throws IndexFileError */
export function verifyServedIndex(index: PostalIndex): Promise<void> {
  const { file, path, loans } = index
  return loans.lend(async () => {
    for (const name of SECTION_NAMES) {
      const section = file.sections[name]
      let found = 0
      for (let at = 0; at < section.bytes.length; at += SLICE_BYTES) {
        if (loans.isRetired) return
        found = crc32(section.bytes.subarray(at, at + SLICE_BYTES), found)
        await setImmediate()
      }
      verifySection(section, name, path, found)
    }
    countriesOf(index)
  })
}

/** Opens an index lent by another thread. `loans.retire` resolves when this thread's loans have ended. */
export async function borrowIndex({ id, path, memory: handle }: LentIndex): Promise<PostalIndex> {
  return readIndex({ bytes: await memoryAt(handle), handle, release: async () => {} }, path, id)
}

async function readWhole(file: FileHandle, bytes: Uint8Array, path: string): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, Math.min(READ_BYTES, bytes.length - at), at)
    if (bytesRead === 0)
      throw new IndexFileError(
        path,
        `${at} bytes found, ${bytes.length} expected: cut short while it was read`,
      )
    at += bytesRead
  }
}

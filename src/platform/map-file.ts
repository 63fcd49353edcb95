/** Maps the index file into memory. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { mmap } from './libc.ts'

export interface MappedFile {
  bytes: Uint8Array
  /** False where mmap is missing and the file was read into memory instead. */
  mapped: boolean
}

/**
 * The bytes of the file at `path`, read-only by agreement: a write ends the process. The mapping lives as long as the
 * process and is shared with every other process and worker that maps the file. Never truncate a mapped file: reading
 * past its end ends the process.
 * @throws the system's error when the file cannot be opened
 */
export function mapFile(path: string): MappedFile {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    // An empty file cannot be mapped; what reads the header says what is wrong with it.
    const mapped = size > 0 && process.platform !== 'win32'
    if (!mapped) return { bytes: readFileSync(file), mapped }
    return { bytes: new Uint8Array(mmap(file, size, 'read').buffer), mapped }
  } finally {
    closeSync(file)
  }
}

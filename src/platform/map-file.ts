/** Maps a file into memory, for the tools that read an index once. The server copies its index into `shared-memory.ts`. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { loadEarly, mmap, munmap } from './libc.ts'
import { collectedMemory, type SharedMemory } from './shared-memory.ts'

/**
 * The bytes of the file at `path`, read-only by agreement: a write ends the process. The mapping shares its pages with every
 * other process that maps the file. Truncating a mapped file ends every process that reads past its new end. Where mmap is missing, the file is read into memory.
 * @throws Error when it is a folder, a pipe or a device, the system's error when it cannot be opened
 */
export function mapReadOnly(path: string): SharedMemory {
  // Without the flag, a pipe would block until somebody writes to it.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    const { size } = stats
    if (!stats.isFile())
      throw new Error(`${path} is not a regular file, expected one that \`postrie build\` has written`)
    // An empty file cannot be mapped; what reads the header says what is wrong with it.
    if (size === 0 || process.platform === 'win32') return readFile(file, size)
    const { address, buffer } = mmap(file, size, 'read')
    return {
      bytes: new Uint8Array(buffer),
      handle: { address, length: size },
      release: async () => munmap(address, size),
    }
  } finally {
    closeSync(file)
  }
}

/** Does what the first mapping would do once: it loads koffi, which takes longer than all else of opening an index. */
export function prepareMapping(): void {
  if (process.platform !== 'win32') loadEarly()
}

function readFile(file: number, size: number): SharedMemory {
  const memory = collectedMemory(size)
  for (let at = 0; at < size; ) {
    const count = readSync(file, memory.bytes, at, size - at, at)
    // The header says how long the file should be, and is checked against the length of the memory.
    if (count === 0) break
    at += count
  }
  return memory
}

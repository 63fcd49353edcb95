/** Maps a file into memory, for tools that read an index once. The server copies its index instead. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { addressOf, mmapOver, mmapZerosOver } from './libc.ts'
import { allocateCollected, reservePages, type SharedMemory } from './shared-memory.ts'

/**
 * Maps the file at `path` read-only. Truncating it kills every process that reads past its new end. Without
 * mmap, or with a limited address space, reads it into memory.
 * @throws Error if it is a folder, a pipe or a device; the system's error if it cannot be opened
 */
export function mapReadOnly(path: string): SharedMemory {
  // Without the flag, a pipe would block until somebody writes to it.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    if (!stats.isFile())
      throw new Error(`${path} is not a regular file, expected one that \`postrie build\` has written`)
    // An empty file cannot be mapped. The check of the header reports it.
    return stats.size === 0 || process.platform === 'win32' ? readFile(file) : mapFile(file, stats.size)
  } finally {
    closeSync(file)
  }
}

/** Maps the file over pages of a WebAssembly memory. V8 would collect garbage for another mapping. */
function mapFile(file: number, size: number): SharedMemory {
  const buffer = reservePages(size)
  if (buffer === undefined) return readFile(file)
  const bytes = new Uint8Array(buffer, 0, size)
  const address = BigInt(addressOf(bytes))
  mmapOver(address, file, size, 'read')
  return {
    bytes,
    handle: { address, length: size },
    release: async () => mmapZerosOver(address, buffer.byteLength),
  }
}

function readFile(file: number): SharedMemory {
  const content = readFileSync(file)
  const memory = allocateCollected(content.length)
  memory.bytes.set(content)
  return memory
}

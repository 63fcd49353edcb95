/** Maps a file into memory, for the tools that read an index once. The server copies its index into `shared-memory.ts`. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { addressOf, loadEarly, mmapOver, mmapZerosOver } from './libc.ts'
import { collectedMemory, type SharedMemory } from './shared-memory.ts'

/** A multiple of the pages of every system that Node.js runs on. */
const PAGE_BYTES_MAX = 64 * 1024

/** Buffers over whose pages a file is mapped. V8 must not free one before the file has left its pages. */
const mapped = new Set<SharedArrayBuffer>()

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
    return size === 0 || process.platform === 'win32' ? readFile(file, size) : mapFile(file, size)
  } finally {
    closeSync(file)
  }
}

/** Does what the first mapping would do once: it loads koffi, which takes longer than all else of opening an index. */
export function prepareMapping(): void {
  if (process.platform !== 'win32') loadEarly()
}

/**
 * Maps over the pages of a SharedArrayBuffer, which take no memory before they are touched. V8 counts the bytes of every other buffer
 * that it did not allocate itself, and collects garbage when 64 MB have been added: most of the time that opening an index of the
 * world would take (`npm run bench -- library`).
 */
function mapFile(file: number, size: number): SharedMemory {
  const length = Math.ceil(size / PAGE_BYTES_MAX) * PAGE_BYTES_MAX
  const buffer = new SharedArrayBuffer(length + PAGE_BYTES_MAX)
  const whole = addressOf(new Uint8Array(buffer))
  const start = Math.ceil(whole / PAGE_BYTES_MAX) * PAGE_BYTES_MAX
  const address = BigInt(start)
  mmapOver(address, file, size)
  mapped.add(buffer)
  return {
    bytes: new Uint8Array(buffer, start - whole, size),
    handle: { address, length: size },
    release: async () => {
      mmapZerosOver(address, length)
      mapped.delete(buffer)
    },
  }
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

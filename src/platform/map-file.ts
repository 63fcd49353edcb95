/** Maps a file into memory, for the tools that read an index once. The server copies its index into `shared-memory.ts`. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { addressOf, loadEarly, mmap, mmapOver, mmapZerosOver, munmap } from './libc.ts'
import { collectedMemory, type SharedMemory } from './shared-memory.ts'

/** What of it is used here. The types of Node.js lack it. */
declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number; shared: true }) => { buffer: SharedArrayBuffer }
}

/** Bytes of a page of WebAssembly: a multiple of those of every system that Node.js runs on. */
const PAGE_BYTES = 64 * 1024

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
 * Maps over the pages of a memory of WebAssembly, which V8 returns to the system as pages, also when the thread ends; those of another
 * buffer might be given to somebody else. They take no memory before they are touched. V8 does not count the bytes of a shared buffer.
 * It counts those of a mapping that it is shown, and collects garbage when there are 64 MB more: that took most of the time of opening an
 * index of the world (`npm run bench -- library`).
 */
function mapFile(file: number, size: number): SharedMemory {
  const buffer = freePages(size)
  if (buffer === undefined) return mapCounted(file, size)
  const bytes = new Uint8Array(buffer, 0, size)
  const address = BigInt(addressOf(bytes))
  mmapOver(address, file, size)
  return {
    bytes,
    handle: { address, length: size },
    release: async () => mmapZerosOver(address, buffer.byteLength),
  }
}

/** Pages of their own for `size` bytes; undefined where the address space is limited: V8 reserves gigabytes of it. */
function freePages(size: number): SharedArrayBuffer | undefined {
  const pages = Math.ceil(size / PAGE_BYTES)
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer
  } catch {
    return undefined
  }
}

function mapCounted(file: number, size: number): SharedMemory {
  const { address, buffer } = mmap(file, size, 'read')
  return {
    bytes: new Uint8Array(buffer),
    handle: { address, length: size },
    release: async () => munmap(address, size),
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

/** Maps a file into memory, for the tools that read an index once. The server copies its index into `shared-memory.ts`. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { collectedMemory, type SharedMemory } from './shared-memory.ts'

const PROT_READ = 1
const MAP_SHARED = 1

/**
 * The bytes of the file at `path`, read-only by agreement: a write ends the process. The mapping shares its pages with every other process that maps the file. Truncating a mapped file ends every process that
 * reads past its new end. Where mmap is missing, the file is read into memory.
 * @throws the system's error when the file cannot be opened
 */
export function mapReadOnly(path: string): SharedMemory {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    // An empty file cannot be mapped; what reads the header says what is wrong with it.
    const memory = size === 0 || process.platform === 'win32' ? undefined : mapped(file, size)
    return memory ?? readFile(file, size)
  } finally {
    closeSync(file)
  }
}

/** Bound at the first call and not at the top, because koffi costs milliseconds that only mapping is worth. */
let calls: ReturnType<typeof bind> | undefined

function bind() {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
  const libc = koffi.load(process.platform === 'darwin' ? 'libSystem.dylib' : null)
  const mmap = libc.func(
    'void *mmap(void *address, size_t length, int protection, int flags, int file, int64_t offset)',
  )
  const munmap = libc.func('int munmap(void *address, size_t length)')
  return { koffi, mmap, munmap }
}

function mapped(file: number, length: number): SharedMemory | undefined {
  calls ??= bind()
  const { koffi, mmap, munmap } = calls
  const pointer = mmap(null, length, PROT_READ, MAP_SHARED, file, 0)
  if (pointer === null) return undefined
  const address = koffi.address(pointer)
  if (address === 0xffff_ffff_ffff_ffffn) return undefined
  return {
    bytes: new Uint8Array(koffi.view(pointer, length)),
    handle: { address, length },
    release: async () => void munmap(pointer, length),
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

/** Memory that all threads of the process share, and no other process. */
import type { Pointer } from './libc.ts'

/** Reference to the memory, for another thread. */
export type MemoryHandle = SharedArrayBuffer | { address: Pointer; length: number }

export interface SharedMemory {
  readonly bytes: Uint8Array
  readonly handle: MemoryHandle
  /** Returns the memory to the system. Nothing may touch `bytes`, or a view of `handle`, afterwards. */
  release(): Promise<void>
}

/** Allocates `length` zeroed bytes, at least 1. @throws the system's error if memory is short */
export async function allocateShared(length: number): Promise<SharedMemory> {
  if (process.platform === 'win32') return allocateCollected(length)
  const { mmapAnonymous, munmap } = await import('./libc.ts')
  const handle = { address: mmapAnonymous(length), length }
  return { bytes: await memoryAt(handle), handle, release: async () => munmap(handle.address, length) }
}

/** Allocates without mmap. The memory is freed once no thread refers to it. */
export function allocateCollected(length: number): SharedMemory {
  const handle = new SharedArrayBuffer(length)
  return { bytes: new Uint8Array(handle), handle, release: async () => {} }
}

/** Returns a view of a handle's memory, which must not be released yet. */
export async function memoryAt(handle: MemoryHandle): Promise<Uint8Array> {
  if (handle instanceof SharedArrayBuffer) return new Uint8Array(handle)
  const { viewAt } = await import('./libc.ts')
  return new Uint8Array(viewAt(handle.address, handle.length))
}

/** The types of Node.js lack WebAssembly. */
declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number; shared: true }) => { buffer: SharedArrayBuffer }
}

/** Bytes of a page of WebAssembly, a multiple of the page of every system. */
const PAGE_BYTES = 64 * 1024
/** Largest size for a plain buffer. WebAssembly pages, used above it, reserve gigabytes of address space. */
const PLAIN_BYTES_MAX = 16 * 1024 * 1024

/** Reserves up to 4 GiB of zeroed memory for all threads. Pages cost nothing before they are touched. */
export function reserveShared(bytes: number): SharedArrayBuffer {
  const reserved = bytes > PLAIN_BYTES_MAX ? reservePages(bytes) : undefined
  return reserved ?? new SharedArrayBuffer(bytes)
}

/** Allocates whole pages for mapping a file over them; undefined if the address space is limited. */
export function reservePages(bytes: number): SharedArrayBuffer | undefined {
  const pages = Math.max(1, Math.ceil(bytes / PAGE_BYTES))
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer
  } catch {
    return undefined
  }
}

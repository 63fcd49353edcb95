/**
 * Memory that every thread of the process can read. What is allocated here nobody outside can change: whatever is done to the
 * file that it was read from, the pages stay as they are, and a full or broken disk does not reach them.
 */
import type { Address } from './libc.ts'

/** What another thread gets, by structured clone, to read the same memory. */
export type MemoryHandle = SharedArrayBuffer | { address: Address; length: number }

export interface SharedMemory {
  readonly bytes: Uint8Array
  readonly handle: MemoryHandle
  /** Returns the memory to the system. Nothing may touch `bytes`, or what `memoryAt` has made of `handle`, afterwards. */
  release(): Promise<void>
}

/** Allocates `length` bytes, at least 1, all zero. @throws the system's error when there is not enough memory */
export async function allocateShared(length: number): Promise<SharedMemory> {
  if (process.platform === 'win32') return collectedMemory(length)
  const { mmapAnonymous, munmapLater } = await import('./libc.ts')
  const handle = { address: mmapAnonymous(length), length }
  return { bytes: await memoryAt(handle), handle, release: () => munmapLater(handle.address, length) }
}

/** The same without mmap: freed at the next garbage collection of every thread that has referred to it. */
export function collectedMemory(length: number): SharedMemory {
  const handle = new SharedArrayBuffer(length)
  return { bytes: new Uint8Array(handle), handle, release: async () => {} }
}

/** The memory of a handle, which must not have been released. */
export async function memoryAt(handle: MemoryHandle): Promise<Uint8Array> {
  if (handle instanceof SharedArrayBuffer) return new Uint8Array(handle)
  const { viewAt } = await import('./libc.ts')
  return new Uint8Array(viewAt(handle.address, handle.length))
}

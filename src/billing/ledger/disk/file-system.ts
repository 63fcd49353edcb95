import type { MemoryHandle } from '../../../platform/shared-memory.ts'

/**
 * File operations of the ledger. A test replaces them by a simulated disk that loses power at each operation.
 * Promises reject with the system's own error, and nothing retries. No file is opened through a symbolic link
 * at the last part of a path.
 */
export interface FileSystem {
  /** Creates the folder and its missing parents. @throws Error if every user may write it or its parent */
  makeFolder(path: string): Promise<void>
  /** Returns the names in a folder, ascending; none if the folder is missing. */
  list(folder: string): Promise<string[]>
  open(path: string, access: 'read' | 'write'): Promise<OpenFile>
  /** Creates or empties a file for writing. */
  create(path: string): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Makes the names in a folder durable after `create`, `rename` and `remove`. */
  syncFolder(folder: string): Promise<void>
  /** Returns the identity of the file at a path; null if there is none. */
  identity(path: string): Promise<string | null>
  /** Returns 16 bytes that change when the machine starts; random ones if unknown. */
  bootId(): Promise<Buffer>
  /** Maps the first `bytes` of a file, shared. An access beyond its end kills the process by SIGBUS. */
  map(path: string, bytes: number): Mapping
  /**
   * Takes the exclusive lock of a folder and writes the process id into its file `lock`. The lock ends with
   * `release` or with the process. @throws LedgerError LOCKED if another process holds it
   */
  lock(folder: string): FileLock
}

export interface OpenFile {
  size(): Promise<number>
  /** Reads up to `target.length` bytes from `position`. Returns the number of read bytes. */
  read(target: Uint8Array, position: number): Promise<number>
  /** Writes some of `bytes` at `position`. Returns the number of written bytes. */
  write(bytes: Uint8Array, position: number): Promise<number>
  /** Resolves when all writes would survive a loss of power. */
  sync(): Promise<void>
  truncate(bytes: number): Promise<void>
  close(): Promise<void>
}

export interface Mapping {
  readonly buffer: ArrayBufferLike
  /** Handle for other threads of this process. */
  readonly handle: MemoryHandle
  /** Writes all pages to the disk. */
  sync(): void
  close(): void
}

export interface FileLock {
  /** Files that must stay while the lock is held: the lock file, if the folder cannot be locked. */
  readonly guards: readonly string[]
  release(): void
}

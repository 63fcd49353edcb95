import type { MemoryHandle } from '../../platform/shared-memory.ts'

/**
 * The few file operations that money depends on, behind one interface, so that a simulated disk can lose power at each of them.
 * Promises reject with the system's own error (`code` such as `ENOSPC`); nothing here retries. No file is opened through a symbolic
 * link at the last part of a path.
 */
export interface FileSystem {
  /** Creates the folder and its parents where they are missing. @throws when every user may write it or its parent */
  makeFolder(path: string): Promise<void>
  /** Names in a folder, ascending; empty when the folder is missing. */
  list(folder: string): Promise<string[]>
  open(path: string, access: 'read' | 'write'): Promise<OpenFile>
  /** Creates an empty file for writing; an existing one of that name is emptied. */
  create(path: string): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Makes the names in a folder durable: after `create`, `rename` and `remove`. */
  syncFolder(folder: string): Promise<void>
  /** Which file a path names now, to be compared with an earlier answer; null when there is none. */
  identity(path: string): Promise<string | null>
  /**
   * Maps the first `bytes` of an existing file, shared and writable. The file may be shorter and grow later. A process that
   * touches what is beyond its end dies of SIGBUS.
   */
  map(path: string, bytes: number): Mapping
  /**
   * Takes the exclusive lock of a folder and writes the process id into its file `lock`. The lock ends with `release`
   * or with the process, however that dies. @throws LedgerError LOCKED when another process holds it
   */
  lock(folder: string): FileLock
}

export interface OpenFile {
  size(): Promise<number>
  /** Reads up to `target.length` bytes from `position`; returns how many there were. */
  read(target: Uint8Array, position: number): Promise<number>
  /** Writes some of `bytes` at `position`; returns how many, which may be fewer than all. */
  write(bytes: Uint8Array, position: number): Promise<number>
  /** Resolves when everything written so far would survive a loss of power. */
  sync(): Promise<void>
  truncate(bytes: number): Promise<void>
  close(): Promise<void>
}

export interface Mapping {
  readonly buffer: ArrayBufferLike
  /** For other threads of this process. */
  readonly handle: MemoryHandle
  /** Starts and awaits the write-back of all pages. */
  sync(): void
  close(): void
}

export interface FileLock {
  /** Files that must stay while the lock is held: the lock file, if the folder itself cannot be locked. */
  readonly guards: readonly string[]
  release(): void
}

/**
 * The few file operations that money depends on, behind one interface, so that a simulated disk can lose power at each
 * of them. Promises reject with the system's own error (`code` such as `ENOSPC`); nothing here retries.
 */
export interface FileSystem {
  /** Creates the folder and its parents where they are missing. */
  makeFolder(path: string): Promise<void>
  /** Names in a folder, ascending; empty when the folder is missing. */
  list(folder: string): Promise<string[]>
  /** Opens an existing file; `write` also allows writing. */
  open(path: string, access: 'read' | 'write'): Promise<OpenFile>
  /** Creates an empty file for writing; an existing one of that name is emptied. */
  create(path: string): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Makes the names in a folder durable: after `create`, `rename` and `remove`. */
  syncFolder(folder: string): Promise<void>
  /** Maps a whole existing file, whose size must be `bytes`, shared and writable. */
  map(path: string, bytes: number): MappedFile
  /**
   * Takes the exclusive lock of a file that is created when missing; the lock ends with `release` or with the process.
   * Returns the process id of the present holder as text when another one holds it.
   */
  lock(path: string): FileLock | string
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

export interface MappedFile {
  readonly buffer: ArrayBuffer
  /** Starts and awaits the write-back of all pages. */
  sync(): void
  /** Unmaps. The buffer must not be touched afterwards: the process would die of SIGSEGV. */
  close(): void
}

export interface FileLock {
  release(): void
}

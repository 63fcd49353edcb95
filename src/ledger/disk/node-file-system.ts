import fs, { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { mmap, msync, munmap, tryFlock } from '../../platform/libc.ts'
import type { FileLock, FileSystem, MappedFile, OpenFile } from './file-system.ts'

/** Private to the service's user: the ledger holds email addresses. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** The real disk. Reads, writes and syncs run on Node's thread pool, never on the thread that answers requests. */
export const nodeFileSystem: FileSystem = {
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  },
  async list(folder) {
    try {
      return (await readdir(folder)).sort()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  },
  open: async (path, access) => openFile(await openDescriptor(path, access === 'read' ? 'r' : 'r+')),
  create: async path => openFile(await openDescriptor(path, 'w+', FILE_MODE)),
  rename,
  remove: unlink,
  async syncFolder(folder) {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  map: mapFile,
  lock: lockFile,
}

const openDescriptor = promisify(fs.open)

/** Descriptors and callbacks: of a flush, a `FileHandle` costs the main thread 40 us more, two hundred times a second. */
function openFile(fd: number): OpenFile {
  return {
    size: async () => (await fstat(fd)).size,
    read: (target, position) => count(done => fs.read(fd, target, 0, target.length, position, done)),
    write: (bytes, position) => count(done => fs.write(fd, bytes, 0, bytes.length, position, done)),
    sync: () => end(done => fs.fdatasync(fd, done)),
    truncate: bytes => end(done => fs.ftruncate(fd, bytes, done)),
    close: () => end(done => fs.close(fd, done)),
  }
}

const fstat = promisify(fs.fstat)

/** The promise of a call that tells how many bytes it moved. */
function count(call: (done: (error: Error | null, bytes: number) => void) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    call((error, bytes) => (error === null ? resolve(bytes) : reject(error)))
  })
}

/** The promise of a call that only ends. */
function end(call: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call(error => (error === null || error === undefined ? resolve() : reject(error)))
  })
}

function mapFile(path: string, bytes: number): MappedFile {
  const fd = openSync(path, 'r+')
  try {
    const size = fstatSync(fd).size
    // Touching a mapped page beyond the end of the file kills the process, so the size is checked first.
    if (size !== bytes) throw new Error(`${path} has ${size} bytes, expected ${bytes}`)
    const { address, buffer } = mmap(fd, bytes)
    return { buffer, sync: () => msync(address, bytes), close: () => munmap(address, bytes) }
  } finally {
    closeSync(fd)
  }
}

function lockFile(path: string): FileLock | string {
  const fd = openSync(path, 'a+', FILE_MODE)
  if (!tryFlock(fd)) {
    closeSync(fd)
    return readFileSync(path, 'latin1').trim()
  }
  ftruncateSync(fd, 0)
  writeSync(fd, `${process.pid}\n`)
  return { release: () => closeSync(fd) }
}

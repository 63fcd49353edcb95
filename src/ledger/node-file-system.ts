import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import type { FileLock, FileSystem, MappedFile, OpenFile } from './file-system.ts'
import { mmap, msync, munmap, tryFlock } from './libc.ts'

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
  async open(path, access) {
    return openFile(await open(path, access === 'read' ? 'r' : 'r+'))
  },
  async create(path) {
    return openFile(await open(path, 'w+', FILE_MODE))
  },
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

function openFile(handle: FileHandle): OpenFile {
  return {
    size: async () => (await handle.stat()).size,
    read: async (target, position) => (await handle.read(target, 0, target.length, position)).bytesRead,
    write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    sync: () => handle.datasync(),
    truncate: bytes => handle.truncate(bytes),
    close: () => handle.close(),
  }
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

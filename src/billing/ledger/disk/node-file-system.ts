import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { type FileHandle, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { addressOf, mmap, mmapOver, mmapZerosOver, msync, munmap, tryFlock } from '../../../platform/libc.ts'
import { makePrivateFolder } from '../../../platform/private-files.ts'
import { reservePages } from '../../../platform/shared-memory.ts'
import { damage, LedgerError, REMEDY_RESTORE } from '../ledger-error.ts'
import type { FileLock, FileSystem, Mapping, OpenFile } from './file-system.ts'
import { LOCK_NAME } from './files.ts'

/** Mode of a file: the ledger holds email addresses, so only the service's user reads it. */
const FILE_MODE = 0o600
/** Flags of `open`, some missing on Windows. O_NOFOLLOW refuses a planted link to a foreign file. */
const { O_RDONLY, O_RDWR, O_CREAT, O_TRUNC, O_NOFOLLOW = 0, O_DIRECTORY = 0, O_NONBLOCK = 0 } = constants

/** The real disk. Reads, writes and syncs run on Node's thread pool: a slow disk blocks no thread of ours. */
export const nodeFileSystem: FileSystem = {
  async makeFolder(path) {
    await makePrivateFolder(dirname(path))
    await makePrivateFolder(path)
  },
  async list(folder) {
    try {
      return (await readdir(folder)).sort()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  },
  open: (path, access) => openRegular(path, access === 'read' ? O_RDONLY : O_RDWR),
  create: path => openRegular(path, O_RDWR | O_CREAT | O_TRUNC),
  rename,
  remove: unlink,
  async syncFolder(folder) {
    const handle = await open(folder, O_RDONLY | O_DIRECTORY)
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  async identity(path) {
    // Synchronous: the call costs less than a trip to the pool.
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? null : `${found.dev}:${found.ino}`
  },
  bootId: () =>
    readFile('/proc/sys/kernel/random/boot_id', 'latin1').then(
      text => Buffer.from(text.replaceAll('-', ''), 'hex'),
      () => randomBytes(16),
    ),
  map: mapWritable,
  lock: lockFolder,
}

/** Opens a regular file. Without O_NONBLOCK, a pipe would wait for a writer. @throws LedgerError DAMAGED */
async function openRegular(path: string, flags: number): Promise<OpenFile> {
  const handle = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, FILE_MODE)
  try {
    if ((await handle.stat()).isFile()) return openFile(handle)
    throw notRegular(path)
  } catch (error) {
    await handle.close()
    throw error
  }
}

function notRegular(path: string): LedgerError {
  const remedy = `Find out who put it there. ${REMEDY_RESTORE}`
  return damage(path, 0, 'a pipe, a device or a folder', 'a regular file', remedy)
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

function mapWritable(path: string, bytes: number): Mapping {
  const fd = openSync(path, O_RDWR | O_NOFOLLOW)
  try {
    const buffer = reservePages(bytes)
    if (buffer === undefined) {
      // The address space is limited. V8 counts these bytes as used.
      const { address, buffer } = mmap(fd, bytes, 'write')
      const handle = { address, length: bytes }
      return { buffer, handle, sync: () => msync(address, bytes), close: () => munmap(address, bytes) }
    }
    const address = BigInt(addressOf(new Uint8Array(buffer)))
    mmapOver(address, fd, bytes, 'write')
    const close = (): void => mmapZerosOver(address, buffer.byteLength)
    return { buffer, handle: buffer, sync: () => msync(address, bytes), close }
  } finally {
    closeSync(fd)
  }
}

/**
 * Locks the folder, which cannot be deleted while it has a ledger. If the file system locks no folders, locks
 * the file `lock` in it. In both cases, that file names the holder.
 */
function lockFolder(folder: string): FileLock {
  const path = join(folder, LOCK_NAME)
  const fds: number[] = []
  const release = (): void => {
    for (const fd of fds.splice(0)) closeSync(fd)
  }
  try {
    fds.push(openSync(folder, O_RDONLY | O_DIRECTORY))
    const folderLock = flockOrUnsupported(fds[0])
    if (folderLock === 'held elsewhere') throw inUse(folder, path)
    const fd = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, FILE_MODE)
    fds.push(fd)
    if (!fstatSync(fd).isFile()) throw notRegular(path)
    if (folderLock === 'unsupported' && !tryFlock(fd)) throw inUse(folder, path)
    ftruncateSync(fd, 0)
    writeSync(fd, `${process.pid}\n`)
    return { guards: folderLock === 'unsupported' ? [path] : [], release }
  } catch (error) {
    release()
    throw error
  }
}

/** Locks a file or folder. Network file systems lock only files open for writing, so not a folder. */
function flockOrUnsupported(fd: number): 'held' | 'held elsewhere' | 'unsupported' {
  try {
    return tryFlock(fd) ? 'held' : 'held elsewhere'
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EBADF', 'EINVAL', 'ENOLCK', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) return 'unsupported'
    throw error
  }
}

function inUse(folder: string, path: string): LedgerError {
  let holder = 'another process'
  try {
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const id = readFileSync(fd, 'latin1').trim()
    closeSync(fd)
    if (/^\d+$/.test(id)) holder = `process ${id}`
  } catch {
    // The file only names the holder.
  }
  return new LedgerError(
    'LOCKED',
    `${folder} is in use by ${holder}, and only one process may write a ledger. Stop that process, or set another DATA_DIR.`,
  )
}

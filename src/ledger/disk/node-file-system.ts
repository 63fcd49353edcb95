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
import { type FileHandle, open, readdir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { mmap, msync, munmap, tryFlock } from '../../platform/libc.ts'
import { makePrivateFolder } from '../../platform/private-folder.ts'
import { LedgerError, REMEDY_RESTORE } from '../errors.ts'
import type { FileLock, FileSystem, Mapping, OpenFile } from './file-system.ts'

/** Private to the service's user: the ledger holds email addresses. */
const FILE_MODE = 0o600
/** A link that somebody planted would lead to a file that is not ours. Windows has neither. */
const { O_RDONLY, O_RDWR, O_CREAT, O_TRUNC, O_NOFOLLOW = 0, O_DIRECTORY = 0, O_NONBLOCK = 0 } = constants

/** The real disk. Reads, writes and syncs run on Node's thread pool, so that a slow disk keeps no thread. */
export const nodeFileSystem: FileSystem = {
  async makeFolder(path) {
    await makePrivateFolder(dirname(path))
    await makePrivateFolder(path)
  },
  async list(folder) {
    try {
      return (await readdir(folder)).sort()
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  },
  open: (path, access) => openRegular(path, access === 'read' ? O_RDONLY : O_RDWR),
  create: path => openRegular(path, O_RDWR | O_CREAT | O_TRUNC),
  rename,
  remove: unlink,
  async openFolder(folder) {
    const handle = await open(folder, O_RDONLY | O_DIRECTORY)
    return { sync: () => handle.sync(), close: () => handle.close() }
  },
  async identity(path) {
    // Not on the pool, although it belongs to every sync: the kernel knows the answer, and asking costs less than a trip there.
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? null : `${found.dev}:${found.ino}`
  },
  map: mapWritable,
  lock: lockFolder,
}

/** Opening a pipe would wait for a writer that never comes, hence O_NONBLOCK. @throws LedgerError DAMAGED for one */
async function openRegular(path: string, flags: number): Promise<OpenFile> {
  const handle = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, FILE_MODE)
  try {
    if ((await handle.stat()).isFile()) return openFile(handle)
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  throw new LedgerError('DAMAGED', {
    file: path,
    offset: 0,
    found: 'a pipe, a device or a folder',
    expected: 'a regular file',
    remedy: `Find out who put it there. ${REMEDY_RESTORE}`,
  })
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
    const size = fstatSync(fd).size
    // Touching a mapped page beyond the end of the file kills the process, so the size is checked first.
    if (size !== bytes) throw new Error(`${path} has ${size} bytes, expected ${bytes}`)
    const { address, buffer } = mmap(fd, bytes, 'write')
    const handle = { address, length: bytes }
    return { buffer, handle, sync: () => msync(address, bytes), close: () => munmap(address, bytes) }
  } finally {
    closeSync(fd)
  }
}

/**
 * Locks the folder itself, which cannot be deleted while it holds a ledger. The file in it names the holder, and is
 * locked as well for the sake of versions that know no other lock.
 */
function lockFolder(folder: string, name: string): FileLock | string {
  const path = join(folder, name)
  const fds: number[] = []
  const release = (): void => {
    for (const fd of fds.splice(0)) closeSync(fd)
  }
  try {
    fds.push(openSync(folder, O_RDONLY | O_DIRECTORY))
    const folderLock = flockOrUnsupported(fds[0])
    if (folderLock !== 'held elsewhere') {
      const fd = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, FILE_MODE)
      fds.push(fd)
      if (tryFlock(fd)) {
        ftruncateSync(fd, 0)
        writeSync(fd, `${process.pid}\n`)
        return { guards: folderLock === 'unsupported' ? [path] : [], release }
      }
    }
  } catch (error) {
    release()
    throw error
  }
  release()
  return holderIn(path)
}

type FolderLock = 'held' | 'held elsewhere' | 'unsupported'

/** Network file systems lock files that are open for writing, which a folder never is. */
function flockOrUnsupported(fd: number): FolderLock {
  try {
    return tryFlock(fd) ? 'held' : 'held elsewhere'
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EBADF', 'EINVAL', 'ENOLCK', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) return 'unsupported'
    throw error
  }
}

/** What the lock's holder wrote; empty when somebody removed its file. */
function holderIn(path: string): string {
  try {
    return readFrom(path).trim()
  } catch {
    return ''
  }
}

function readFrom(path: string): string {
  const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    return readFileSync(fd, 'latin1')
  } finally {
    closeSync(fd)
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

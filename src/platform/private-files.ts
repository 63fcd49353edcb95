/** Files that only the service's own user may read, and folders that only it and a trusted group may write. */
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const { O_NOFOLLOW = 0 } = constants
export const PRIVATE_MODE = 0o600

/** Things in the place of a file, by the system's code. */
const FOUND: Readonly<Record<string, string>> = {
  ELOOP: 'a symbolic link',
  EISDIR: 'a folder',
  ENXIO: 'a socket or a pipe',
  EACCES: 'a file that this user may not open',
}

/** Opens a private file; O_CREAT creates one. @throws Error if it is no file, or open to other users */
export async function openPrivate(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, flags | O_NOFOLLOW, PRIVATE_MODE).catch(error => {
    const found = FOUND[error.code]
    if (found === undefined) throw error
    throw new Error(`${path}: found ${found}; expected a file of this user. Move it away, then restart.`)
  })
  const stats = await file.stat().catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  const uid = process.getuid?.() ?? stats.uid
  // Windows has no modes. The permissions of the folder protect the file there.
  const isShared = process.platform !== 'win32' && (stats.mode & 0o077) !== 0
  if (stats.isFile() && stats.uid === uid && !isShared) return file
  await file.close()
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
  const found = stats.isFile() ? `mode ${mode}, owner ${stats.uid}` : 'no regular file'
  throw new Error(
    `${path}: found ${found}; expected a file with mode 0600, owner ${uid}. Other users may have read or changed it. ` +
      'If you trust it, give it this mode and owner. Otherwise move it away: the next start begins without its content.',
  )
}

export async function readPrivate(path: string): Promise<Buffer | undefined> {
  try {
    const file = await openPrivate(path, constants.O_RDONLY)
    return await file.readFile().finally(() => file.close())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Mode of a folder: the ledger holds email addresses, so only the service's user reads it. */
const FOLDER_MODE = 0o700
const WRITABLE_BY_ALL = 0o002

/** Creates a folder and its missing parents. @throws Error if every user may write it; the system's error */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolder(path)
  await expectPrivate(path)
}

/** Creates one folder after another, because `recursive` of Node.js 20 never ends in /proc. */
export async function makeFolder(path: string, mode: number = FOLDER_MODE): Promise<void> {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent, mode)
  try {
    await mkdir(path, { mode })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!(await isFolder(path))) throw error
  }
}

/** False also if the path cannot be read. Making the folder then reports why. */
async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    found => found.isDirectory(),
    () => false,
  )
}

/** Checks that not every user may write a folder. A group may, for containers. @throws with the remedy */
export async function expectPrivate(path: string): Promise<void> {
  // Windows has no such modes, and reports 0666.
  if (process.platform === 'win32') return
  const { mode } = await stat(path)
  if ((mode & WRITABLE_BY_ALL) === 0) return
  const found = (mode & 0o7777).toString(8).padStart(4, '0')
  const message =
    `${path} has mode ${found}, expected one that keeps other users from writing, such as 0700. ` +
    `Run \`chmod o-w ${path}\` after checking that nobody changed its files`
  throw Object.assign(new Error(message), { code: 'WRITABLE_BY_ALL' })
}

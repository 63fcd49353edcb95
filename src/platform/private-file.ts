/** Private files: only the service's own user may read them. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

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
  const stat = await file.stat().catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  const uid = process.getuid?.() ?? stat.uid
  // Windows has no modes. The permissions of the folder protect the file there.
  const isShared = process.platform !== 'win32' && (stat.mode & 0o077) !== 0
  if (stat.isFile() && stat.uid === uid && !isShared) return file
  await file.close()
  const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
  const found = stat.isFile() ? `mode ${mode}, owner ${stat.uid}` : 'no regular file'
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

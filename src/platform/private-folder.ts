/** Folders with money: only the owner and a trusted group may write them. */
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

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

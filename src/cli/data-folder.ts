/** Whether DATA_DIR can hold what the service keeps, found before anything is made in it. */
import { constants, existsSync, lstatSync, readlinkSync, statSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OperatorError } from '../control/operator/operator-error.ts'
import { START_DISK_BYTES } from '../limits.ts'
import { expectPrivate } from '../platform/private-folder.ts'

const KIBIBYTE = 1024

/** Why the folder cannot be used, or be made where it is missing: one sentence with the remedy, null when it can. Creates nothing. */
export async function dataFolderProblem(dataDir: string): Promise<string | null> {
  const misplaced = notAFolder(dataDir)
  if (misplaced !== null) return misplaced
  const folder = existingFolder(dataDir)
  const refusal = await writeRefusal(folder)
  if (refusal !== null)
    return folder === dataDir
      ? `DATA_DIR ${dataDir} cannot be written to: ${refusal}. Give it to the user of the service, or set DATA_DIR.`
      : `DATA_DIR ${dataDir} cannot be made in ${folder}: ${refusal}. Make it, or set DATA_DIR.`
  try {
    if (folder === dataDir) await expectPrivate(dataDir)
  } catch (error) {
    return unmadeText(dataDir, error)
  }
  return spaceProblem(dataDir, folder)
}

/** Why this user cannot make files in `folder`, null when that works. */
export async function writeRefusal(folder: string): Promise<string | null> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => null,
    (error: NodeJS.ErrnoException) => REASONS[error.code ?? ''] ?? error.message,
  )
}

/** What a start says of a folder that looked right and could not be made all the same. */
export function unmadeText(dataDir: string, error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  if (code === 'WRITABLE_BY_ALL') return `DATA_DIR ${message}.`
  return `DATA_DIR ${dataDir} cannot be made: ${REASONS[code ?? ''] ?? message}. Make it, or set DATA_DIR.`
}

/** For commands on what is in the folder. @throws OperatorError `refused` when something else has its name */
export function expectDataFolder(dataDir: string): void {
  const misplaced = notAFolder(dataDir)
  if (misplaced !== null) throw new OperatorError('refused', misplaced)
}

/** `path`, or the nearest folder above it that exists. */
export function existingFolder(path: string): string {
  return existsSync(path) ? path : existingFolder(dirname(path))
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user lacks the permission',
  EPERM: 'this user lacks the permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'the system makes no folders there',
}

/** Why `dataDir` is not a folder and cannot become one, because of what is there already; null otherwise. */
function notAFolder(dataDir: string): string | null {
  for (let path = dataDir; ; path = dirname(path)) {
    const kind = kindOf(path)
    if (kind === 'folder') return null
    if (kind !== undefined) {
      const subject = path === dataDir ? `DATA_DIR ${dataDir}` : `DATA_DIR ${dataDir} cannot be made: ${path}`
      return `${subject} is ${kind}. Set DATA_DIR to a folder, or to the name of one that can be made.`
    }
    if (path === dirname(path)) return null
  }
}

/** What has that name; undefined: nothing, or nothing that this user may know of. */
function kindOf(path: string): string | undefined {
  try {
    if (!lstatSync(path).isSymbolicLink() || existsSync(path))
      return statSync(path).isDirectory() ? 'folder' : 'not a folder'
    return `a link to ${readlinkSync(path)}, which does not exist`
  } catch {
    return undefined
  }
}

/** Less than this, and a start fails when it writes the first files of a ledger. */
async function spaceProblem(dataDir: string, folder: string): Promise<string | null> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= START_DISK_BYTES) return null
  const kilobytes = (bytes: number) => `${Math.floor(bytes / KIBIBYTE).toLocaleString('en')} KB`
  return `DATA_DIR ${dataDir} has ${kilobytes(free)} free, and a start needs ${kilobytes(START_DISK_BYTES)}. Free some space, or set DATA_DIR.`
}

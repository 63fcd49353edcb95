/** Checks DATA_DIR before a start creates anything in it. */
import { constants, existsSync, readlinkSync, statSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OperatorError } from '../../console/operator/operator-error.ts'
import { DiskSpaceError, existingFolder, freeBytes, isSameDisk } from '../../platform/free-space.ts'
import { expectPrivate } from '../../platform/private-files.ts'
import type { Config } from '../../platform/settings/config.ts'
import { FILE_ERRORS } from '../../platform/terminal.ts'
import { findLeftovers } from '../../postal/publication/leftovers.ts'

/** Free space for a start: first segment, snapshot, meter, and the dashboard's files. */
export const START_DISK_BYTES = 512 * 1024

/** Checks that DATA_DIR can be used or created. Creates nothing. @throws Error with the remedy */
export async function expectUsableFolder({
  dataDir,
  indexFile,
}: Pick<Config, 'dataDir' | 'indexFile'>): Promise<void> {
  expectDataFolder(dataDir)
  const folder = existingFolder(dataDir)
  const refusal = await writeRefusal(folder)
  if (refusal !== null)
    throw new Error(
      folder === dataDir
        ? `DATA_DIR ${dataDir} cannot be written to: ${refusal}. Give it to the user of the service, or set DATA_DIR.`
        : `DATA_DIR ${dataDir} cannot be created in ${folder}: ${refusal}. Create it, or set DATA_DIR.`,
    )
  if (folder === dataDir)
    await expectPrivate(dataDir).catch(error => {
      throw folderError(dataDir, error)
    })
  // Leftovers count as free: a start removes them.
  let free = await freeBytes(dataDir)
  if (await isSameDisk(dataDir, indexFile))
    for (const { bytes } of await findLeftovers(indexFile)) free += bytes
  if (free >= START_DISK_BYTES) return
  const kilobytes = (bytes: number) => `${Math.floor(bytes / 1024).toLocaleString('en')} KB`
  throw new DiskSpaceError(
    `DATA_DIR ${dataDir} has ${kilobytes(free)} free, and a start needs ${kilobytes(START_DISK_BYTES)}. Free some space, or set DATA_DIR.`,
    START_DISK_BYTES - free,
  )
}

/** Returns the reason why this user cannot create files in `folder`; null if it can. */
export async function writeRefusal(folder: string): Promise<string | null> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => null,
    (error: NodeJS.ErrnoException) => FILE_ERRORS[error.code ?? '']?.[0] ?? error.message,
  )
}

/** Returns the error of a start for a folder that passed the checks but could not be created. */
export function folderError(dataDir: string, cause: unknown): Error {
  const { message, code = '' } = cause as NodeJS.ErrnoException
  if (code === 'WRITABLE_BY_ALL') return new Error(`DATA_DIR ${message}.`)
  const reason = FILE_ERRORS[code]?.[0] ?? message
  return new Error(`DATA_DIR ${dataDir} cannot be created: ${reason}. Create it, or set DATA_DIR.`, { cause })
}

/** Checks that `dataDir` is a folder or can become one. @throws OperatorError `refused` */
export function expectDataFolder(dataDir: string): void {
  for (let path = dataDir; ; path = dirname(path)) {
    const kind = kindOf(path)
    if (kind === 'folder') return
    if (kind !== undefined) {
      const subject =
        path === dataDir ? `DATA_DIR ${dataDir}` : `DATA_DIR ${dataDir} cannot be created: ${path}`
      throw new OperatorError(
        'refused',
        `${subject} is ${kind}. Set DATA_DIR to a folder, or to the name of one that can be created.`,
      )
    }
    if (path === dirname(path)) return
  }
}

/** Describes the file at a path; undefined if there is none, or this user may not see it. */
function kindOf(path: string): string | undefined {
  if (existsSync(path)) return statSync(path).isDirectory() ? 'folder' : 'not a folder'
  try {
    return `a link to ${readlinkSync(path)}, which does not exist`
  } catch {
    return undefined
  }
}

/** Free space of disks. Other files leave room for the ledger. `segment-log.ts` handles a failed write. */
import { statSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MEGABYTE } from './memory.ts'

/** Thrown before a file would fill its disk, so that nothing else fails to write. */
export class DiskSpaceError extends Error {
  override readonly name = 'DiskSpaceError'
  readonly code = 'ENOSPC'
  readonly missingBytes: number

  constructor(message: string, missingBytes: number) {
    super(message)
    this.missingBytes = missingBytes
  }
}

/** Returns `path` if it is a folder, else the nearest existing folder above it. */
export function existingFolder(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() ? path : existingFolder(dirname(path))
}

/** Returns the bytes of the disk of `path`, and those that this user may still write. `path` need not exist. */
export async function diskOf(path: string) {
  const { bavail, blocks, bsize } = await statfs(existingFolder(path))
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

export async function freeBytes(path: string): Promise<number> {
  return (await diskOf(path)).freeBytes
}

/** True if both paths are on one disk. They need not exist. */
export async function isSameDisk(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map(path => stat(existingFolder(path))))
  return first.dev === second.dev
}

/** Checks that `bytes` more fit on the disk and leave `leaveBytes` to the ledger. @throws DiskSpaceError */
export async function expectSpace(
  what: string,
  path: string,
  bytes: number,
  leaveBytes: number,
): Promise<void> {
  const free = await freeBytes(path)
  const missing = bytes + leaveBytes - free
  if (missing <= 0) return
  const ledger = leaveBytes === 0 ? '' : `, and the ledger on the same disk ${megabytes(leaveBytes)}`
  throw new DiskSpaceError(
    `${what} needs ${megabytes(bytes)} on the disk of ${existingFolder(path)}${ledger}; ${megabytes(free)} are free. Free some space, or name a file on another disk`,
    missing,
  )
}

/** Returns `31 MB`, of 1,048,576 bytes each. */
export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / MEGABYTE).toLocaleString('en')} MB`
}

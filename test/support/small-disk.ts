import { execFileSync, spawnSync } from 'node:child_process'
import { statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { pathOf, without } from './programs.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MOUNT = ['-t', 'tmpfs', '-o']
const canMount = () =>
  spawnSync('unshare', ['--mount', pathOf('mount'), ...MOUNT, 'size=4k', 'tmpfs', tmpdir()]).status === 0
/** Options of a test that mounts. Only root may, and not in every container. */
export const needsMount = { skip: without('mount') || (!canMount() && 'mounting needs root') }

/** Mounts a file system of `bytes` for a test. */
export function smallDisk(t: Test, bytes: number): string {
  const folder = temporaryFolder(t)
  execFileSync(pathOf('mount'), [...MOUNT, `size=${bytes},mode=700`, 'tmpfs', folder])
  t.teardown(() => spawnSync('umount', ['-l', folder]))
  return folder
}

export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Fills the file system but for `bytesLeft`. Returns the file to remove. */
export function fillDisk(folder: string, bytesLeft: number): string {
  const path = join(folder, 'filler')
  writeFileSync(path, Buffer.alloc(Math.max(0, freeBytes(folder) - bytesLeft)))
  return path
}

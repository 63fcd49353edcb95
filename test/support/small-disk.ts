import { spawnSync } from 'node:child_process'
import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { temporaryFolder } from './temporary-folder.ts'

/** Mounts a file system of `bytes` for a test. Returns null if mounting is not allowed. */
export function smallDisk(t: Test, bytes: number): string | null {
  const folder = temporaryFolder(t)
  const options = `size=${bytes},mode=700`
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
  t.teardown(() => {
    if (status === 0) spawnSync('umount', ['-l', folder])
  })
  return status === 0 ? folder : null
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

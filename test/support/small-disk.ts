/** File systems of a few megabytes, for tests of what happens when one is full. */
import { spawnSync } from 'node:child_process'
import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { temporaryFolder } from './temporary-folder.ts'

/** Mounts a file system of `bytes` for the time of a test. Null where that is not allowed. */
export function smallDisk(t: Test, bytes: number): string | null {
  const folder = temporaryFolder(t)
  const options = `size=${bytes},mode=700`
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
  t.teardown(() => {
    if (status === 0) spawnSync('umount', ['-l', folder])
  })
  return status === 0 ? folder : null
}

/** Free bytes of the file system at `folder`. */
export function freeOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Fills it but for `bytesLeft`. Returns the file to remove. */
export function fill(folder: string, bytesLeft: number): string {
  const path = join(folder, 'filler')
  writeFileSync(path, Buffer.alloc(Math.max(0, freeOf(folder) - bytesLeft)))
  return path
}

/** Folders outside the checkout: its packages are out of reach, and a socket there has a short path. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** Makes a folder. It is removed after everything that the test starts in it has ended. */
export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'postrie-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Folders of the system, outside the checkout: its packages are not found from there, and a socket in it has a short path. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** Makes a folder that ends with the test, after everything that the test starts in it. */
export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'postrie-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

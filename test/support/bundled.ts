/** What users run: the bundle of what has just been compiled, in a folder of the test's own. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BUNDLER = fileURLToPath(new URL('../../../deploy/bundle.mjs', import.meta.url))

/** Takes a third of a second. @param folder within the checkout, whose packages it needs @returns the path of the command `postrie` */
export function bundleInto(folder: string): string {
  const { status, stderr } = spawnSync(process.execPath, [BUNDLER, folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the bundler ended with ${status}: ${stderr}`)
  return join(folder, 'cli.js')
}

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const DATASETS = fileURLToPath(new URL('../../../../datasets/', import.meta.url))

/** Returns why this installation cannot build an index, with the remedy; null if it can. */
export function missingDataPackage(): string | null {
  const { name, dependencies } = JSON.parse(readFileSync(join(DATASETS, 'package.json'), 'utf8'))
  const missing = Object.keys(dependencies).find(each => findPackage(each, dirname(DATASETS)) === null)
  if (missing === undefined) return null
  return (
    `building an index needs the packages of ${name}, and ${missing} is not installed. ` +
    'Run `npm ci` in a checkout. Elsewhere install the tarball that `npm pack --workspace datasets` makes there. ' +
    'Or use another index: INDEX_FILE names a file, INDEX_URL a published index.'
  )
}

/** Returns the folder of a package as Node.js finds it from `from`; null if it is not installed. */
export function findPackage(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (folder === dirname(folder)) return null
  }
}

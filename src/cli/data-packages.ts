/** The packages whose data an index is built from. An installation that only serves, and the package `postrie` alone, lack them. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const DATASETS = fileURLToPath(new URL('../../../datasets/', import.meta.url))

/** Returns why no index can be built in this installation, with the remedy; null when one can. Costs some milliseconds. */
export function missingDataPackage(): string | null {
  const { name, version, dependencies } = JSON.parse(readFileSync(join(DATASETS, 'package.json'), 'utf8'))
  const missing = Object.keys(dependencies).find(each => installed(each, dirname(DATASETS)) === null)
  if (missing === undefined) return null
  return (
    `building an index needs the packages of ${name}, and ${missing} is not installed. ` +
    `Run \`npm install ${name}@${version}\` next to postrie, \`npm ci\` in a checkout, or take an index from elsewhere: ` +
    'INDEX_FILE names a file, INDEX_URL a published one.'
  )
}

/** Folder of the package, as Node.js looks for it: in `node_modules` of `from` and of each folder above it. Null: nowhere. */
export function installed(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (folder === dirname(folder)) return null
  }
}

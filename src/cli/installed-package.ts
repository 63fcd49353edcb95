/** Where a package is installed. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Folder of the package, as Node.js looks for it: in `node_modules` of `from` and of each folder above it. Null: nowhere. */
export function installed(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (folder === dirname(folder)) return null
  }
}

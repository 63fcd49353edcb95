/**
 * Finds the files of the data packages. Most packages hide theirs behind `exports` or wrap them in code,
 * so they are read by path, from wherever npm has put the package.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The workspace's own package.json; compiled code runs from `dist/`, which holds none. */
const MANIFEST = join(projectRoot(), 'datasets', 'package.json')
const require = createRequire(MANIFEST)
const versions: Record<string, string> = JSON.parse(readFileSync(MANIFEST, 'utf8')).dependencies

function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!isRoot(folder)) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error('datasets: no package.json named postrie above this file')
    folder = parent
  }
  return folder
}

function isRoot(folder: string): boolean {
  const manifest = join(folder, 'package.json')
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'postrie'
}

/** `name version`, as pinned in the workspace. */
export function packageOrigin(name: string): string {
  return `npm ${name} ${versions[name]}`
}

/** Path of `file` in package `name`. @throws when the package is not installed or has no such file. */
export function packageFile(name: string, file: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    const path = join(folder, name, file)
    if (existsSync(path)) return path
  }
  throw new Error(`datasets: ${file} of ${packageOrigin(name)} is missing; run npm ci`)
}

export function readPackageText(name: string, file: string): string {
  return readFileSync(packageFile(name, file), 'utf8')
}

export function readPackageJson<T>(name: string, file: string): T {
  return JSON.parse(readPackageText(name, file))
}

/** What `file` exports. For packages whose data is code; what it loads stays in memory. */
export function loadPackage<T>(name: string, file: string): T {
  return require(packageFile(name, file))
}

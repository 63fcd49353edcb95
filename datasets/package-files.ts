/**
 * Finds the files of the data packages. Most packages hide theirs behind `exports` or wrap them in code,
 * so they are read by path, from wherever npm has put the package. npm checks a package when it downloads it, but a full or failing disk may
 * damage it later, and half a file of JavaScript may look like a whole one. So every file is checked against its checksum.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Source } from './source.ts'

/** The workspace's own package.json; compiled code runs from `dist/`, which holds none. */
const MANIFEST = join(projectRoot(), 'datasets', 'package.json')
const require = createRequire(MANIFEST)
const versions: Record<string, string> = JSON.parse(readFileSync(MANIFEST, 'utf8')).dependencies
/** SHA-256 of every file that is read, by package and path. */
const checksums: Record<string, Record<string, string>> = JSON.parse(
  readFileSync(join(dirname(MANIFEST), 'checksums.json'), 'utf8'),
)

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

type PackageSource = Omit<Source, 'id' | 'origin' | 'date'> & Partial<Pick<Source, 'date'>>

/** A source whose rows are in the package `name`. */
export function packageSource(name: string, source: PackageSource): Source {
  return { id: name, origin: packageOrigin(name), date: '', ...source }
}

/**
 * Content of `file` in package `name`, as it was when the source was written: SHA-256 takes 0.1 s for the largest.
 * @throws when the package is not installed, or the file is another one, cut short or damaged
 */
export function readPackageFile(name: string, file: string): Buffer {
  const path = packageFile(name, file)
  const bytes = readFileSync(path)
  const expected = checksums[name]?.[file]
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== expected)
    throw new Error(
      `${path} (${bytes.length} bytes) has the SHA-256 ${found}, ${packageOrigin(name)} has ${expected ?? 'none'}: the file is ` +
        'damaged or of another version; run npm ci, or after a change of version correct datasets/checksums.json',
    )
  return bytes
}

export function readPackageText(name: string, file: string): string {
  return readPackageFile(name, file).toString('utf8')
}

export function readPackageJson<T>(name: string, file: string): T {
  return JSON.parse(readPackageText(name, file))
}

/** Exports of `file`. For packages whose data is code; what it loads stays in memory. */
export function loadPackage<T>(name: string, file: string): T {
  readPackageFile(name, file)
  return require(packageFile(name, file))
}

/** Path of `file` in package `name`, from wherever npm has put it. @throws when it is nowhere */
function packageFile(name: string, file: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    const path = join(folder, name, file)
    if (existsSync(path)) return path
  }
  throw new Error(
    `datasets: ${file} of ${packageOrigin(name)} is missing; run npm ci in a checkout, or install @postrie/datasets next to the package postrie`,
  )
}
